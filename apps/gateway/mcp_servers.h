#ifndef CURSORWIRE_APPS_GATEWAY_MCP_SERVERS_H_
#define CURSORWIRE_APPS_GATEWAY_MCP_SERVERS_H_

#include <absl/status/statusor.h>
#include <cursorwire/mcp/servers.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "options.h"

namespace cursor_gateway {

// Requests are answered then, without the tools of servers that are not ready.
inline constexpr std::chrono::seconds kServersWait{10};

// Starts the servers of --mcp-config, and waits for them; nullptr without that option. `log` gets a
// line for each that cannot be used. Call it while no other thread changes the environment.
//   kInvalidArgument  the file is none
absl::StatusOr<std::shared_ptr<cursorwire::mcp::Servers>> StartMcpServers(
    const Options& options, const std::function<void(const std::string& line)>& log);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_MCP_SERVERS_H_
