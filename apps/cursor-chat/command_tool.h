#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMAND_TOOL_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMAND_TOOL_H_

#include <cursorwire/tool.h>

#include <cstddef>
#include <string>
#include <vector>

#include "command_process.h"
#include "running_commands.h"

namespace cursor_chat {

// Limit of a command's output; together with the notice about a cut it fits into kMaxToolTextBytes.
inline constexpr size_t kMaxOutputBytes = size_t{511} * 1024;

// A tool that runs a command.
struct CommandTool {
  cursorwire::ToolDefinition definition{};
  std::vector<std::string> command{};  // must not be empty: the program and its arguments
};

// Runs the command, passes it the arguments of the call on standard input, and waits until it has
// ended. The result is its standard output; it is an error unless the exit code is 0. Processes
// that the command left behind may add output for another 200 ms. If `call.stop` is requested, its
// session is killed. Thread-safe; SIGPIPE must be ignored.
cursorwire::ToolResult RunCommand(const CommandTool& tool, const cursorwire::ToolCall& call,
                                  CommandErrors errors, RunningCommands& running);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMAND_TOOL_H_
