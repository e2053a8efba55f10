#ifndef CURSORWIRE_APPS_COMMON_MCP_NEWS_H_
#define CURSORWIRE_APPS_COMMON_MCP_NEWS_H_

#include <cursorwire/mcp/servers.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace cursor_apps {

// How long a turn of a session waits for servers that had failed and are tried once more.
inline constexpr std::chrono::seconds kServersTryTime{1};

// What a user is told of servers of tools as time passes: what is wrong with one and what it leaves
// out, that it has ended, that it is ready after all. Each once. Not thread-safe.
class McpNews {
 public:
  // The lines that this report adds to the ones before of the same server.
  std::vector<std::string> Next(const cursorwire::mcp::ServerReport& report);

 private:
  // Of a server.
  struct Told {
    bool any = false;
    bool failed = false;
    std::string problem{};  // empty: it is ready
    size_t notices = 0;
  };

  std::map<std::string, Told> told_;  // by the names of servers
};

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_MCP_NEWS_H_
