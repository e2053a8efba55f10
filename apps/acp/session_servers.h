#ifndef CURSORWIRE_APPS_ACP_SESSION_SERVERS_H_
#define CURSORWIRE_APPS_ACP_SESSION_SERVERS_H_

#include <absl/status/statusor.h>
#include <cursorwire/mcp/server_config.h>

#include <cstddef>
#include <string>
#include <vector>

#include "acp/json.h"

namespace cursor_acp {

inline constexpr size_t kMaxSessionServers = 64;
inline constexpr size_t kMaxSessionServerNameBytes = 200;

// The list `mcpServers` of a session; missing and null are empty. Commands start in `folder`. The
// texts can be given to a process, and to an HTTP request, as they are: those that would be cut at
// a zero byte, or would add headers, are refused as in a file of servers.
//   kInvalidArgument  a member is of another form; the message names it
absl::StatusOr<std::vector<cursorwire::mcp::ServerConfig>> ReadSessionServers(
    const Json& servers, const std::string& folder);

// Both lists; of two servers of one name, that of the editor.
std::vector<cursorwire::mcp::ServerConfig> JoinServers(
    std::vector<cursorwire::mcp::ServerConfig> of_editor,
    std::vector<cursorwire::mcp::ServerConfig> of_file);

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_SESSION_SERVERS_H_
