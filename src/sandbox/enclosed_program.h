#ifndef CURSORWIRE_SRC_SANDBOX_ENCLOSED_PROGRAM_H_
#define CURSORWIRE_SRC_SANDBOX_ENCLOSED_PROGRAM_H_

#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <vector>

#include "cursorwire/sandbox.h"
#include "process/child_process.h"
#include "process/running_commands.h"
#include "sandbox/sandbox.h"

namespace cursorwire::sandbox {

// A program of a list of the user's own, with a sandbox for it alone.
struct EnclosedProgram {
  std::unique_ptr<Sandbox> sandbox{};  // before the command, which must end first
  std::unique_ptr<SandboxedCommand> command{};
};

// Starts it as process::ChildProcess::Start() does, and lets it run.
//   as of process::ChildProcess::Start() and SandboxedCommand::Admit()
absl::StatusOr<std::unique_ptr<process::ChildProcess>> StartEnclosed(
    const EnclosedProgram& enclosed, process::ChildInput input, process::RunningCommands& running);

// `folder`, where the program starts, is the workspace of the sandbox; an absolute path.
// `environment`: as of PlacesOptions.
//   kFailedPrecondition  this machine has not all of a sandbox; says why, and what to do
//   others               as of Sandbox::Create() and Sandbox::Prepare()
absl::StatusOr<EnclosedProgram> Enclose(process::Program program, const std::string& folder,
                                        const SandboxPolicy& policy,
                                        std::vector<std::string> environment);

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_ENCLOSED_PROGRAM_H_
