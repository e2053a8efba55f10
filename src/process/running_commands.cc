#include "process/running_commands.h"

#include <absl/status/status.h>
#include <sys/wait.h>

#include "base/error.h"
#include "process/process_session.h"

namespace cursorwire::process {
namespace {

// False if another part of this process waited for it: its number may belong to any process now.
bool IsOurs(pid_t leader) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(leader), &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

}  // namespace

absl::StatusOr<pid_t> RunningCommands::Start(const std::string& mark,
                                             const std::function<absl::StatusOr<pid_t>()>& spawn) {
  const std::lock_guard lock(mutex_);
  if (killed_) return LocalError(absl::StatusCode::kCancelled, "no commands are run any more");
  absl::StatusOr<pid_t> leader = spawn();
  if (leader.ok()) marks_.emplace(*leader, mark);
  return leader;
}

void RunningCommands::Remove(pid_t leader) {
  const std::lock_guard lock(mutex_);
  marks_.erase(leader);
}

void RunningCommands::KillAll() {
  const std::lock_guard lock(mutex_);
  killed_ = true;
  for (const auto& [leader, mark] : marks_) {
    if (IsOurs(leader)) KillSession(leader, mark);
  }
}

}  // namespace cursorwire::process
