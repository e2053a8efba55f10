#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TURN_RUNNING_COMMANDS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TURN_RUNNING_COMMANDS_H_

#include <cursorwire/command_tools.h>
#include <cursorwire/mcp/servers.h>
#include <cursorwire/workspace.h>

#include <memory>
#include <mutex>
#include <vector>

namespace cursor_chat {

// All that runs for the agent, so that none of it outlives this process if it ends in the middle of
// a turn. Thread-safe; no function blocks for long.
class RunningCommands {
 public:
  // Those of --tools, which KillAll() kills.
  const cursorwire::CommandTools& tools() const { return tools_; }
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
  const cursorwire::CommandTools tools_;
  std::mutex mutex_;
  bool killed_ = false;                                    // guarded by mutex_
  std::weak_ptr<cursorwire::LocalExecHandler> workspace_;  // guarded by mutex_
  std::shared_ptr<cursorwire::mcp::Servers> servers_;      // guarded by mutex_
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TURN_RUNNING_COMMANDS_H_
