#ifndef CURSORWIRE_SRC_PROCESS_RUNNING_COMMANDS_H_
#define CURSORWIRE_SRC_PROCESS_RUNNING_COMMANDS_H_

#include <absl/status/statusor.h>
#include <sys/types.h>

#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace cursorwire::process {

// The running commands of one handler, so that all can be killed at once. Thread-safe.
class RunningCommands {
 public:
  // Calls `spawn`, which starts a process that leads its session and has `mark`, and remembers that
  // process until Remove(). KillAll() never runs in between.
  //   kCancelled  KillAll() was called; nothing is started
  //   others      as of `spawn`
  absl::StatusOr<pid_t> Start(const std::string& mark,
                              const std::function<absl::StatusOr<pid_t>()>& spawn);
  // Call before waiting for the process: afterwards its number may belong to another one.
  void Remove(pid_t leader);
  // Implements LocalExecHandler::KillCommands().
  void KillAll();

 private:
  std::mutex mutex_;
  std::map<pid_t, std::string> marks_;  // by leader; guarded by mutex_
  bool killed_ = false;                 // guarded by mutex_
};

}  // namespace cursorwire::process

#endif  // CURSORWIRE_SRC_PROCESS_RUNNING_COMMANDS_H_
