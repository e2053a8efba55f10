#include "workspace/shell/allow_command.h"

#include <absl/status/statusor.h>

#include <utility>

#include "workspace/fs/permission.h"

namespace cursorwire::workspace {

absl::Status AllowCommand(const CommandQuestion& question, ShellCommand& command,
                          const ActionContext& context) {
  absl::StatusOr<SandboxChoice> choice = question.sandbox.Choose(question.wish);
  if (!choice.ok()) return choice.status();
  const ShellAction action{.command = command.text,
                           .working_directory = command.folder_path,
                           .in_background = question.in_background,
                           .sandbox = choice->policy,
                           .permissions = std::move(choice->permissions),
                           .no_sandbox = std::move(choice->why_none)};
  command.sandbox = std::move(choice->policy);
  return AskPolicy(question.policy, action, context);
}

}  // namespace cursorwire::workspace
