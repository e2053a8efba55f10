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

// The tools of a file for --tools; see docs/agent.md.
//   kInvalidArgument  it cannot be read, or is not as it must be. The message names the entry and
//                     the field, and says what to write.
absl::StatusOr<std::vector<CommandTool>> ReadToolsFile(const std::string& file);

// What is offered to the agent. In plan and ask mode, each is refused when it is called. `running`
// outlives the registry.
cursorwire::ToolRegistry MakeTools(const std::vector<CommandTool>& tools,
                                   cursorwire::AgentMode mode, CommandErrors errors,
                                   RunningCommands& running);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TOOLS_FILE_H_
