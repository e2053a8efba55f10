#ifndef CURSORWIRE_APPS_GATEWAY_MCP_SERVERS_H_
#define CURSORWIRE_APPS_GATEWAY_MCP_SERVERS_H_

#include <absl/status/statusor.h>
#include <cursorwire/mcp/servers.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <vector>

#include "mcp_log.h"
#include "options.h"

namespace cursor_gateway {

// Requests are answered then, without the tools of servers that are not ready.
inline constexpr std::chrono::seconds kServersWait{10};

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
