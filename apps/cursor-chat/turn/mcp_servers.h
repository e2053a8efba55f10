#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TURN_MCP_SERVERS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TURN_MCP_SERVERS_H_

#include <absl/status/statusor.h>
#include <cursorwire/mcp/servers.h>

#include <chrono>
#include <memory>
#include <stop_token>

#include "common/mcp_news.h"
#include "options.h"
#include "output/output.h"
#include "turn/running_commands.h"

namespace cursor_chat {

// Starts the servers of --mcp-config, and does not wait for them; nullptr without that option.
// `running` kills them with the rest.
//   kInvalidArgument  as of ReadMcpConfig()
absl::StatusOr<std::shared_ptr<cursorwire::mcp::Servers>> StartMcpServers(const Options& options,
                                                                          RunningCommands& running);

// Waits until they are ready or given up, at most until `end` (max(): any time), and prints a line
// for each that cannot be used and for what is left out. Nothing for nullptr.
void AwaitMcpServers(const std::shared_ptr<cursorwire::mcp::Servers>& servers,
                     std::chrono::steady_clock::time_point end, Output& output);

// For a session: prints what is new about them. Nothing for nullptr.
void PrintMcpNews(const std::shared_ptr<cursorwire::mcp::Servers>& servers,
                  cursor_apps::McpNews& news, Output& output);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TURN_MCP_SERVERS_H_
