#ifndef CURSORWIRE_APPS_GATEWAY_MCP_LOG_H_
#define CURSORWIRE_APPS_GATEWAY_MCP_LOG_H_

#include <cursorwire/mcp/server_report.h>

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

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
  const std::function<void(const std::string& line)> log_;
  std::mutex mutex_;
  // Of a server.
  struct Told {
    std::string problem{};  // empty: it is ready
    size_t notices = 0;
  };

  // By the names of servers; empty until the start is told. Guarded by mutex_.
  std::map<std::string, Told> told_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_MCP_LOG_H_
