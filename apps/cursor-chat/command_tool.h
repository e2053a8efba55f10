#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMAND_TOOL_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMAND_TOOL_H_

#include <cursorwire/tool.h>

#include <cstddef>
#include <string>
#include <vector>

#include "command_process.h"
#include "running_commands.h"

namespace cursor_chat {

// Size of the output of a command; the notice that there was more fits into kMaxToolTextBytes, too.
inline constexpr size_t kMaxOutputBytes = size_t{511} * 1024;

// A tool that is a command.
struct CommandTool {
  cursorwire::ToolDefinition definition{};
  std::vector<std::string> command{};  // not empty: the program and its arguments
};

// Runs the command, gives it the arguments of the call on standard input, and waits until it has
// ended. The result is its standard output, and an error unless it exits with 0. What it left
// behind may add to the output for another 200 ms. When `call.stop` is requested, its session is
// killed. Thread-safe; SIGPIPE must be ignored.
cursorwire::ToolResult RunCommand(const CommandTool& tool, const cursorwire::ToolCall& call,
                                  CommandErrors errors, RunningCommands& running);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMAND_TOOL_H_
