#include "workspace/shell/started_command.h"

#include <absl/strings/str_cat.h>

#include <utility>

namespace cursorwire::workspace {

absl::StatusOr<std::unique_ptr<StartedCommand>> StartedCommand::Start(
    const ShellCommand& command, process::ChildInput input, process::RunningCommands& running,
    ShellSandbox& sandbox) {
  std::unique_ptr<sandbox::SandboxedCommand> sandboxed;
  if (command.sandbox) {
    absl::StatusOr<std::unique_ptr<sandbox::SandboxedCommand>> prepared =
        sandbox.Prepare(*command.sandbox, ShellProgram(command), command.last_folder_file);
    if (!prepared.ok()) return prepared.status();
    sandboxed = *std::move(prepared);
  }
  absl::StatusOr<std::unique_ptr<process::ChildProcess>> child = process::ChildProcess::Start(
      sandboxed == nullptr ? ShellProgram(command) : sandboxed->program(), input, running);
  if (!child.ok()) return child.status();
  if (sandboxed != nullptr) {
    if (absl::Status admitted = sandboxed->Admit(); !admitted.ok()) return admitted;
  }
  return std::unique_ptr<StartedCommand>(
      new StartedCommand(std::move(sandboxed), *std::move(child)));
}

pid_t StartedCommand::pid() const {
  const pid_t inner = sandboxed_ == nullptr ? 0 : sandboxed_->pid();
  return inner == 0 ? child_->pid() : inner;
}

absl::StatusOr<std::string> StartedCommand::Finish() {
  std::string lines;
  if (sandboxed_ == nullptr) return lines;
  const sandbox::SandboxEnd end = sandboxed_->Finish();
  if (!end.setup.ok()) return end.setup;
  for (const std::string& line : end.appeared) absl::StrAppend(&lines, "\n[", line, "]\n");
  return lines;
}

}  // namespace cursorwire::workspace
