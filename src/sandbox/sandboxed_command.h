#ifndef CURSORWIRE_SRC_SANDBOX_SANDBOXED_COMMAND_H_
#define CURSORWIRE_SRC_SANDBOX_SANDBOXED_COMMAND_H_

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <vector>

#include "process/child_process.h"
#include "sandbox/appeared.h"
#include "sandbox/landlock.h"
#include "sandbox/plan.h"
#include "sandbox/sandbox.h"
#include "sandbox/spawn_thread.h"

namespace cursorwire::sandbox {

// `variables` with those of the plan, and without those that it removes.
std::vector<std::string> InsideEnvironment(std::vector<std::string> variables, const Plan& plan);

struct BwrapCommandOptions {
  std::string bwrap{};
  std::string filter{};  // of MakeFilter(); empty: none
  Plan plan{};
};

// A command in namespaces of its own. `thread` must outlive it.
//   as of BwrapCall::Make()
absl::StatusOr<std::unique_ptr<SandboxedCommand>> MakeBwrapCommand(
    const BwrapCommandOptions& options, process::Program program, Appeared appeared,
    SpawnThread& thread);

// A command under Landlock, started from a thread that is made and restricted for it. Its pid() is
// 0: that of the process::ChildProcess is its own.
std::unique_ptr<SandboxedCommand> MakeLandlockCommand(LandlockOptions options,
                                                      process::Program program, Appeared appeared);

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_SANDBOXED_COMMAND_H_
