#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MCP_CONFIG_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MCP_CONFIG_H_

#include <absl/status/statusor.h>
#include <cursorwire/mcp/server_config.h>

#include <string>
#include <vector>

namespace cursor_chat {

// Reads the servers in a file for --mcp-config; see docs/mcp.md. They start in `folder`; empty: the
// current one.
//   kInvalidArgument  the file cannot be read, or is invalid; the message names the file, the
//   server
//                     and the member
absl::StatusOr<std::vector<cursorwire::mcp::ServerConfig>> ReadMcpConfig(const std::string& file,
                                                                         const std::string& folder);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MCP_CONFIG_H_
