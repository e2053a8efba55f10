#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_STARTED_COMMAND_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_STARTED_COMMAND_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>

#include "cursorwire/sandbox.h"
#include "process/child_process.h"
#include "process/running_commands.h"
#include "sandbox/sandbox.h"
#include "workspace/shell/shell_command.h"
#include "workspace/shell/shell_sandbox.h"

namespace cursorwire::workspace {

// A command that runs, with the sandbox around it if it has one. The destructor kills it.
class StartedCommand {
 public:
  // Errors as of process::ChildProcess::Start() and ShellSandbox::Prepare().
  static absl::StatusOr<std::unique_ptr<StartedCommand>> Start(const ShellCommand& command,
                                                               process::ChildInput input,
                                                               process::RunningCommands& running,
                                                               ShellSandbox& sandbox);

  process::ChildProcess& child() { return *child_; }
  const process::ChildProcess& child() const { return *child_; }
  // As this machine has it, also in a sandbox.
  pid_t pid() const;
  bool sandboxed() const { return sandboxed_ != nullptr; }
  // Once, after child() was killed or reaped: lines for the agent, as of LeftNotice(), on what the
  // sandbox did.
  //   kUnavailable  the sandbox could not be set up, so nothing ran
  absl::StatusOr<std::string> Finish();

 private:
  StartedCommand(std::unique_ptr<sandbox::SandboxedCommand> sandboxed,
                 std::unique_ptr<process::ChildProcess> child)
      : sandboxed_(std::move(sandboxed)), child_(std::move(child)) {}

  // Before the child, which must end first.
  const std::unique_ptr<sandbox::SandboxedCommand> sandboxed_;  // nullptr: none
  const std::unique_ptr<process::ChildProcess> child_;
};

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_STARTED_COMMAND_H_
