#ifndef CURSORWIRE_APPS_CURSOR_CHAT_MCP_COMMANDS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_MCP_COMMANDS_H_

#include <absl/status/status.h>

#include <string>
#include <vector>

#include "options.h"
#include "output.h"
#include "running_commands.h"

namespace cursor_chat {

// What the words "mcp list FILE" and "mcp test FILE" ask for; kNone: they are a prompt.
McpCommand McpCommandOf(const std::vector<std::string>& words);

// Starts the servers of a file for --mcp-config and prints how each of them does; with kList also
// what it offers. As text, or as JSON.
//   kInvalidArgument  the file cannot be read, or is invalid
//   kUnknown          a server cannot be used; the message says how many
absl::Status RunMcpCommand(const Options& options, RunningCommands& running, Output& output);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_MCP_COMMANDS_H_
