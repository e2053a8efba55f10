#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_MCP_COMMANDS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_MCP_COMMANDS_H_

#include <absl/status/status.h>

#include "options.h"
#include "output/output.h"
#include "turn/running_commands.h"

namespace cursor_chat {

// Starts the servers of a file for --mcp-config and prints how each of them does; with
// Command::kMcpList also what it offers. As text, or as JSON.
//   kInvalidArgument  the file cannot be read, or is invalid
//   kUnknown          a server cannot be used; the message says how many
absl::Status RunMcpCommand(const Options& options, RunningCommands& running, Output& output);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_MCP_COMMANDS_H_
