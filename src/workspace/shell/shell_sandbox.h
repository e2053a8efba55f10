#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_SANDBOX_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_SANDBOX_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cursorwire/connect/time_point.h"
#include "cursorwire/exec.h"
#include "cursorwire/sandbox.h"
#include "cursorwire/workspace.h"
#include "process/child_process.h"
#include "sandbox/sandbox.h"
#include "sandbox/support.h"
#include "workspace/fs/workspace.h"
#include "workspace/shell/output_folder.h"

namespace cursorwire::workspace {

// How one command is to run: the fields of ShellAction.
struct SandboxChoice {
  std::optional<SandboxPolicy> policy{};  // nullopt: as the user
  std::vector<std::string> permissions{};
  std::string why_none{};
};

// The sandbox of the commands of one handler: chooses what each may do, by the options and by what
// the service wishes. The sandbox is made when it is first needed. Thread-safe.
class ShellSandbox {
 public:
  // All but `environment`, that of this process, must outlive this. `support`: what the machine can
  // do; nullptr: sandbox::OwnSupport(), which is asked when it is needed.
  ShellSandbox(const Workspace& workspace, const LocalExecOptions& options, OutputFolder& outputs,
               std::vector<std::string> environment, const sandbox::Support* support = nullptr)
      : workspace_(workspace),
        options_(options),
        outputs_(outputs),
        environment_(std::move(environment)),
        support_(support) {}

  // Whether a command for which nothing is wished runs in it.
  bool in_use() const;
  //   kFailedPrecondition  SandboxMode::kRequire, and this machine or folder cannot; says why
  //   kPermissionDenied    the service names something that the user's policy does not give, and
  //                        nobody is to be asked
  absl::StatusOr<SandboxChoice> Choose(const std::optional<RequestedSandbox>& wish);
  // The program in the sandbox. `last_folder_file` can be written inside, if it is not empty.
  //   as of sandbox::Sandbox::Prepare()
  absl::StatusOr<std::unique_ptr<sandbox::SandboxedCommand>> Prepare(
      const SandboxPolicy& policy, process::Program program, const std::string& last_folder_file);

 private:
  const sandbox::Support& support() const {
    return support_ == nullptr ? sandbox::OwnSupport() : *support_;
  }
  bool CanRun() const;
  absl::StatusOr<SandboxPolicy> WithIgnoredFiles(SandboxPolicy policy) const;
  absl::StatusOr<sandbox::Sandbox*> Get();
  absl::Status Check(const SandboxPolicy& policy);
  absl::StatusOr<SandboxChoice> ChoosePolicy(const RequestedSandbox& wish) const;

  const Workspace& workspace_;
  const LocalExecOptions& options_;
  OutputFolder& outputs_;
  const std::vector<std::string> environment_;
  const sandbox::Support* const support_;
  std::mutex mutex_;
  // Guarded by mutex_, which is not held while the sandbox works.
  std::unique_ptr<sandbox::Sandbox> sandbox_;
  std::optional<SandboxPolicy> checked_;  // for which Check() was OK
  connect::TimePoint checked_until_{};
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_SANDBOX_H_
