#ifndef CURSORWIRE_APPS_CURSOR_CHAT_RUNNING_COMMANDS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_RUNNING_COMMANDS_H_

#include <cursorwire/local_exec_handler.h>
#include <cursorwire/mcp/servers.h>
#include <sys/types.h>

#include <memory>
#include <mutex>
#include <set>
#include <vector>

namespace cursor_chat {

// The sessions of the running commands, so that none of them outlives this process if it ends in
// the middle of a turn. Thread-safe; no function blocks for long.
class RunningCommands {
 public:
  // `session` is a child that leads its session. After KillAll() it is killed at once.
  void Add(pid_t session);
  // Call before waiting for the child: afterwards its number may belong to another process.
  void Remove(pid_t session);
  // Makes KillAll() also kill the commands of this workspace, as long as it exists; nullptr: no
  // workspace. At most one workspace.
  void Watch(const std::shared_ptr<cursorwire::LocalExecHandler>& workspace);
  // Starts servers of tools, which KillAll() also kills; none after it. They run until
  // StopServers(), whoever has forgotten them. At most once.
  std::shared_ptr<cursorwire::mcp::Servers> StartServers(
      std::vector<cursorwire::mcp::ServerConfig> configs);
  // Ends the servers, if there are any, which takes up to 2.5 s; KillAll() shortens that.
  void StopServers();
  // Commands that are started later are killed or refused at once.
  void KillAll();

 private:
  std::mutex mutex_;
  std::set<pid_t> sessions_;                               // guarded by mutex_
  bool killed_ = false;                                    // guarded by mutex_
  std::weak_ptr<cursorwire::LocalExecHandler> workspace_;  // guarded by mutex_
  std::shared_ptr<cursorwire::mcp::Servers> servers_;      // guarded by mutex_
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_RUNNING_COMMANDS_H_
