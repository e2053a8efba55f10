#ifndef CURSORWIRE_APPS_CURSOR_CHAT_RUNNING_COMMANDS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_RUNNING_COMMANDS_H_

#include <cursorwire/local_exec_handler.h>
#include <sys/types.h>

#include <memory>
#include <mutex>
#include <set>

namespace cursor_chat {

// The sessions of the commands that run now, so that none outlives this process when it ends in the
// middle of a turn. Thread-safe; nothing waits for long.
class RunningCommands {
 public:
  // A child that leads its session. Once KillAll() was called, it is killed at once.
  void Add(pid_t session);
  // Before it is waited for: its number may be another's from then on.
  void Remove(pid_t session);
  // KillAll() kills the commands of this one, too, while it lives; nullptr is none. At most one.
  void Watch(const std::shared_ptr<cursorwire::LocalExecHandler>& workspace);
  // Those that are started later are killed or refused at once.
  void KillAll();

 private:
  std::mutex mutex_;
  std::set<pid_t> sessions_;                               // guarded by mutex_
  bool killed_ = false;                                    // guarded by mutex_
  std::weak_ptr<cursorwire::LocalExecHandler> workspace_;  // guarded by mutex_
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_RUNNING_COMMANDS_H_
