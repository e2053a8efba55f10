#include "workspace/shell/background_shells.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "workspace/fs/permission.h"
#include "workspace/shell/allow_command.h"
#include "workspace/shell/shell_command.h"

namespace cursorwire::workspace {
namespace {

constexpr size_t kMaxInputBytes = size_t{1024} * 1024;

absl::Status NoShell(uint32_t id) {
  return LocalError(absl::StatusCode::kNotFound,
                    absl::StrCat("there is no shell ", id, ", or it has ended"));
}

absl::Status CheckInput(const std::string& chars) {
  using enum absl::StatusCode;
  if (chars.size() > kMaxInputBytes) {
    return LocalError(
        kInvalidArgument,
        absl::StrCat("input of ", chars.size(), " bytes is over the limit of ", kMaxInputBytes));
  }
  if (!IsUtf8(chars)) return LocalError(kInvalidArgument, "the input is no UTF-8");
  return absl::OkStatus();
}

}  // namespace

BackgroundShells::~BackgroundShells() {
  // Stop all of them first, so that this takes no longer than stopping one.
  for (const auto& [id, shell] : shells_) shell->Stop();
}

void BackgroundShells::ForgetEnded() {
  std::vector<Shell> ended;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  for (auto it = shells_.begin(); it != shells_.end();) {
    if (it->second->ended()) {
      ended.push_back(std::move(it->second));
      it = shells_.erase(it);
    } else {
      ++it;
    }
  }
}

absl::Status BackgroundShells::CheckRoom(size_t max_shells) const {
  const auto running = std::count_if(shells_.begin(), shells_.end(),
                                     [](const auto& shell) { return !shell.second->ended(); });
  if (static_cast<size_t>(running) < max_shells) return absl::OkStatus();
  return LocalError(absl::StatusCode::kResourceExhausted,
                    absl::StrCat(running,
                                 " shells run in the background already, which is the "
                                 "limit; let one end first"));
}

BackgroundShells::Shell BackgroundShells::Find(uint32_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = shells_.find(id);
  return found == shells_.end() || found->second->ended() ? nullptr : found->second;
}

absl::StatusOr<BackgroundShellOutput> BackgroundShells::Keep(
    const std::string& command, std::unique_ptr<StartedCommand> started,
    std::unique_ptr<OutputLog> log, connect::TimePoint deadline) {
  const uint32_t id = last_id_ + 1;
  log->MoveToFile(absl::StrCat(id, ".txt"));
  const std::optional<OutputLocation> location = log->location();
  absl::StatusOr<std::unique_ptr<BackgroundShell>> shell =
      BackgroundShell::Adopt(command, std::move(started), std::move(log), deadline);
  if (!shell.ok()) return shell.status();
  last_id_ = id;
  const BackgroundShellOutput output{.shell_id = id,
                                     .process_id = static_cast<uint32_t>((*shell)->pid()),
                                     .output_path = location ? location->path : ""};
  shells_.emplace(id, *std::move(shell));
  return output;
}

// Holds the lock while the process is started, so that there are never too many.
absl::StatusOr<BackgroundShellOutput> BackgroundShells::Launch(const ShellCommand& command,
                                                               process::ChildInput input,
                                                               const LocalExecOptions& options,
                                                               connect::TimePoint deadline) {
  ForgetEnded();
  const std::lock_guard lock(mutex_);
  if (absl::Status status = CheckRoom(options.max_background_shells); !status.ok()) return status;
  absl::StatusOr<std::unique_ptr<StartedCommand>> started =
      StartedCommand::Start(command, input, running_, sandbox_);
  if (!started.ok()) return started.status();
  return Keep(command.text, *std::move(started),
              std::make_unique<OutputLog>(outputs_, 0, options.max_output_file_bytes), deadline);
}

absl::StatusOr<BackgroundShellOutput> BackgroundShells::Adopt(
    const std::string& command, std::unique_ptr<StartedCommand>& started,
    std::unique_ptr<OutputLog>& log, const LocalExecOptions& options, connect::TimePoint deadline) {
  ForgetEnded();
  const std::lock_guard lock(mutex_);
  if (absl::Status status = CheckRoom(options.max_background_shells); !status.ok()) return status;
  return Keep(command, std::move(started), std::move(log), deadline);
}

absl::StatusOr<BackgroundShellOutput> BackgroundShells::Start(
    const Workspace& workspace, const LocalExecOptions& options,
    const std::vector<std::string>& environment, const BackgroundShellArgs& args,
    const ActionContext& context) {
  absl::StatusOr<ShellCommand> command =
      PrepareCommand(workspace, environment, args.command, args.working_directory);
  if (!command.ok()) return command.status();
  absl::Status allowed =
      AllowCommand({sandbox_, options.policy, args.sandbox, true}, *command, context);
  if (!allowed.ok()) return allowed;
  return Launch(*command, process::ChildInput::kPipe, options, connect::TimePoint::max());
}

absl::StatusOr<WriteShellStdinOutput> BackgroundShells::Write(const LocalExecOptions& options,
                                                              const WriteShellStdinArgs& args,
                                                              const ActionContext& context) {
  if (absl::Status status = CheckInput(args.chars); !status.ok()) return status;
  const Shell shell = Find(args.shell_id);
  if (shell == nullptr) return NoShell(args.shell_id);
  const ShellInputAction action{.shell_id = args.shell_id,
                                .command = shell->command(),
                                .chars = args.chars,
                                .sandboxed = shell->sandboxed()};
  if (absl::Status status = AskPolicy(options.policy, action, context); !status.ok()) return status;
  const uint64_t before = shell->output_bytes();
  if (absl::Status status = shell->Write(args.chars, options.timeout, context.stop); !status.ok()) {
    return status;
  }
  return WriteShellStdinOutput{.output_bytes_before = static_cast<uint32_t>(std::min<uint64_t>(
                                   before, std::numeric_limits<uint32_t>::max()))};
}

}  // namespace cursorwire::workspace
