#ifndef CURSORWIRE_SRC_DOCUMENTS_TOOL_ROLE_H_
#define CURSORWIRE_SRC_DOCUMENTS_TOOL_ROLE_H_

#include <string>

#include "cursorwire/chat.h"

namespace cursorwire::documents {

// Which type of document a tool call becomes.
enum class ToolRole {
  kToolCall,
  kFileEdit,
  kFileDelete,
  kTerminalCommand,
  kPlan,
  kClarification,
  kTodoUpdate
};

// By the kind of the call; for a tool of a client ("mcp") by its name.
ToolRole RoleOf(const ToolCallInfo& call);

// The name that documents give the tool.
std::string ToolNameOf(const ToolCallInfo& call);

// False: the name of the tool is not there yet.
bool IsNamed(const ToolCallInfo& call);

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_SRC_DOCUMENTS_TOOL_ROLE_H_
