#ifndef CURSORWIRE_APPS_GATEWAY_MCP_LOG_H_
#define CURSORWIRE_APPS_GATEWAY_MCP_LOG_H_

#include <cursorwire/mcp/server_report.h>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "common/mcp_news.h"

namespace cursor_gateway {

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

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_MCP_LOG_H_
