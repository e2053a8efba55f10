#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_BACKGROUND_SHELLS_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_BACKGROUND_SHELLS_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cursorwire/connect/time_point.h"
#include "cursorwire/exec.h"
#include "cursorwire/workspace.h"
#include "process/child_process.h"
#include "process/running_commands.h"
#include "workspace/fs/workspace.h"
#include "workspace/shell/background_shell.h"
#include "workspace/shell/output_folder.h"
#include "workspace/shell/output_log.h"
#include "workspace/shell/shell_command.h"
#include "workspace/shell/shell_sandbox.h"
#include "workspace/shell/started_command.h"

namespace cursorwire::workspace {

// The background shells of one handler, numbered 1, 2, ... Shells that have ended are forgotten
// when the next one is started. Thread-safe.
class BackgroundShells {
 public:
  // All must outlive this.
  BackgroundShells(process::RunningCommands& running, OutputFolder& outputs, ShellSandbox& sandbox)
      : running_(running), outputs_(outputs), sandbox_(sandbox) {}
  // Kills all commands.
  ~BackgroundShells();

  // Implements LocalExecHandler::BackgroundShell().
  absl::StatusOr<BackgroundShellOutput> Start(const Workspace& workspace,
                                              const LocalExecOptions& options,
                                              const std::vector<std::string>& environment,
                                              const BackgroundShellArgs& args,
                                              const ActionContext& context);
  // Starts a command that was allowed; it is killed at `deadline`. Errors as of
  // StartedCommand::Start(), or kResourceExhausted if there are too many.
  absl::StatusOr<BackgroundShellOutput> Launch(const ShellCommand& command,
                                               process::ChildInput input,
                                               const LocalExecOptions& options,
                                               connect::TimePoint deadline);
  // Lets a running command continue in the background. Takes `started` and `log`, unless there are
  // too many commands: kResourceExhausted.
  absl::StatusOr<BackgroundShellOutput> Adopt(const std::string& command,
                                              std::unique_ptr<StartedCommand>& started,
                                              std::unique_ptr<OutputLog>& log,
                                              const LocalExecOptions& options,
                                              connect::TimePoint deadline);
  // Implements LocalExecHandler::WriteShellStdin().
  absl::StatusOr<WriteShellStdinOutput> Write(const LocalExecOptions& options,
                                              const WriteShellStdinArgs& args,
                                              const ActionContext& context);

 private:
  // Shared with threads that write to it, since it may be forgotten meanwhile.
  using Shell = std::shared_ptr<BackgroundShell>;

  void ForgetEnded();
  // The caller must hold the lock.
  absl::Status CheckRoom(size_t max_shells) const;
  // nullptr if it has ended or never existed.
  Shell Find(uint32_t id) const;
  // The caller must hold the lock.
  absl::StatusOr<BackgroundShellOutput> Keep(const std::string& command,
                                             std::unique_ptr<StartedCommand> started,
                                             std::unique_ptr<OutputLog> log,
                                             connect::TimePoint deadline);

  process::RunningCommands& running_;
  OutputFolder& outputs_;
  ShellSandbox& sandbox_;
  mutable std::mutex mutex_;
  std::map<uint32_t, Shell> shells_;  // guarded by mutex_
  uint32_t last_id_ = 0;              // guarded by mutex_
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_BACKGROUND_SHELLS_H_
