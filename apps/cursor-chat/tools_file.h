#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TOOLS_FILE_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TOOLS_FILE_H_

#include <absl/status/statusor.h>
#include <cursorwire/chat.h>
#include <cursorwire/tool_registry.h>

#include <cstddef>
#include <string>
#include <vector>

#include "command_tool.h"

namespace cursor_chat {

inline constexpr size_t kMaxToolsFileBytes = size_t{16} * 1024 * 1024;

// Reads the tools in a file for --tools; see docs/agent.md.
//   kInvalidArgument  the file cannot be read, or is invalid. The message names the entry and the
//                     field, and says what to write.
absl::StatusOr<std::vector<CommandTool>> ReadToolsFile(const std::string& file);

// The tools to offer to the agent. In plan and ask mode, every call is refused. `running` must
// outlive the registry.
cursorwire::ToolRegistry MakeTools(const std::vector<CommandTool>& tools,
                                   cursorwire::AgentMode mode, CommandErrors errors,
                                   RunningCommands& running);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TOOLS_FILE_H_
