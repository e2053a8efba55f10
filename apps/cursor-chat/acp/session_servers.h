#ifndef CURSORWIRE_APPS_CURSOR_CHAT_ACP_SESSION_SERVERS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_ACP_SESSION_SERVERS_H_

#include <absl/status/statusor.h>
#include <cursorwire/mcp/server_config.h>

#include <cstddef>
#include <string>
#include <vector>

#include "acp/json.h"

namespace cursor_chat::acp {

inline constexpr size_t kMaxSessionServers = 64;

// The list `mcpServers` of a session; missing and null are empty. Commands start in `folder`.
//   kInvalidArgument  a member is of another form; the message names it
absl::StatusOr<std::vector<cursorwire::mcp::ServerConfig>> ReadSessionServers(
    const Json& servers, const std::string& folder);

// Both lists; of two servers of one name, that of the editor.
std::vector<cursorwire::mcp::ServerConfig> JoinServers(
    std::vector<cursorwire::mcp::ServerConfig> of_editor,
    std::vector<cursorwire::mcp::ServerConfig> of_file);

}  // namespace cursor_chat::acp

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_ACP_SESSION_SERVERS_H_
