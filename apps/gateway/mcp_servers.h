#ifndef CURSORWIRE_APPS_GATEWAY_MCP_SERVERS_H_
#define CURSORWIRE_APPS_GATEWAY_MCP_SERVERS_H_

#include <absl/status/statusor.h>
#include <cursorwire/mcp/servers.h>

#include <chrono>
#include <memory>
#include <stop_token>

#include "mcp_log.h"
#include "options.h"

namespace cursor_gateway {

// Requests are answered then, without the tools of servers that are not ready.
inline constexpr std::chrono::seconds kServersWait{10};

// Starts the servers of --mcp-config; nullptr without that option. Call it while no other thread
// changes the environment. `log` must outlive them.
//   kInvalidArgument  the file is none
absl::StatusOr<std::shared_ptr<cursorwire::mcp::Servers>> StartMcpServers(const Options& options,
                                                                          McpLog& log);

// Waits until they are ready or have failed, at most kServersWait, and tells `log`. nullptr: there
// are none. Any thread.
void AwaitMcpServers(const std::shared_ptr<cursorwire::mcp::Servers>& servers, McpLog& log,
                     const std::stop_token& stop);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_MCP_SERVERS_H_
