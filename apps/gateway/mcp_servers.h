#ifndef CURSORWIRE_APPS_GATEWAY_MCP_SERVERS_H_
#define CURSORWIRE_APPS_GATEWAY_MCP_SERVERS_H_

#include <absl/status/statusor.h>
#include <cursorwire/mcp/servers.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "common/mcp_news.h"
#include "options.h"

namespace cursor_gateway {

// Requests are answered then, without the tools of servers that are not ready.
inline constexpr std::chrono::seconds kServersWait{10};

// What the log says of servers of tools: first what is wrong with them at the start, then each that
// ends, and is ready again. Thread-safe.
class McpLog {
 public:
  explicit McpLog(std::function<void(const std::string& line)> log);

  // All servers, once they are ready or given up; `reports` gives their state. Changes before it
  // are not told by themselves.
  void TellStart(const std::function<std::vector<cursorwire::mcp::ServerReport>()>& reports);
  // A cursorwire::mcp::ServerWatcher. What was told of that server last is not told again.
  void OnChange(const cursorwire::mcp::ServerReport& report);

 private:
  void Tell(const cursorwire::mcp::ServerReport& report);  // with the lock

  const std::function<void(const std::string& line)> log_;
  std::mutex mutex_;
  cursor_apps::McpNews news_;  // guarded by mutex_
  bool begun_ = false;         // guarded by mutex_; the start is told
};

// The servers of --mcp-config; none without that option. It may wait for the file, if that is a
// pipe.
//   kInvalidArgument  the file is none
absl::StatusOr<std::vector<cursorwire::mcp::ServerConfig>> ReadMcpServers(const Options& options);

// Starts them; nullptr if there are none. Call it while no other thread changes the environment.
// `log` must outlive them.
std::shared_ptr<cursorwire::mcp::Servers> StartMcpServers(
    std::vector<cursorwire::mcp::ServerConfig> configs, McpLog& log);

// Waits until they are ready or have failed, at most kServersWait, and tells `log`. nullptr: there
// are none. Any thread.
void AwaitMcpServers(const std::shared_ptr<cursorwire::mcp::Servers>& servers, McpLog& log,
                     const std::stop_token& stop);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_MCP_SERVERS_H_
