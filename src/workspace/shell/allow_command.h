#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_ALLOW_COMMAND_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_ALLOW_COMMAND_H_

#include <absl/status/status.h>

#include <optional>

#include "cursorwire/exec.h"
#include "cursorwire/workspace.h"
#include "workspace/shell/shell_command.h"
#include "workspace/shell/shell_sandbox.h"

namespace cursorwire::workspace {

// Who decides on a command, and what was wished for it.
struct CommandQuestion {
  ShellSandbox& sandbox;
  const ActionPolicy& policy;
  const std::optional<RequestedSandbox>& wish;
  bool in_background = false;
};

// Chooses the sandbox of the command, and asks the policy. OK: ShellCommand::sandbox says how it is
// to run. Errors as of ShellSandbox::Choose() and AskPolicy().
absl::Status AllowCommand(const CommandQuestion& question, ShellCommand& command,
                          const ActionContext& context);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_ALLOW_COMMAND_H_
