#ifndef CURSORWIRE_SRC_COMMANDS_COMMAND_CALL_H_
#define CURSORWIRE_SRC_COMMANDS_COMMAND_CALL_H_

#include <cstddef>
#include <string>
#include <vector>

#include "cursorwire/command_tools.h"
#include "cursorwire/tools.h"
#include "process/running_commands.h"

namespace cursorwire::commands {

// Limit of a command's output; together with the notice about a cut it fits into kMaxToolTextBytes.
inline constexpr size_t kMaxOutputBytes = size_t{511} * 1024;

// The variables of a process ("NAME=value", up to a null pointer) without the tokens of Cursor.
std::vector<std::string> CommandEnvironment(const char* const* variables);

// What a call of a tool runs.
struct ToolCommand {
  std::vector<std::string> words{};  // the program and its arguments
  CommandErrors errors = CommandErrors::kOurs;
  bool sandboxed = false;
};

// Runs the command as one call of a tool, and waits until it has ended: see CommandTools. Blocks.
// `running` lists it while it runs, and must outlive the call. Thread-safe.
ToolResult RunCommand(const ToolCommand& command, const std::vector<std::string>& environment,
                      const ToolCall& call, process::RunningCommands& running);

}  // namespace cursorwire::commands

#endif  // CURSORWIRE_SRC_COMMANDS_COMMAND_CALL_H_
