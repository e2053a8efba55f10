#ifndef CURSORWIRE_SRC_AGENT_TOOLS_TOOL_EXEC_H_
#define CURSORWIRE_SRC_AGENT_TOOLS_TOOL_EXEC_H_

#include <absl/status/statusor.h>

#include <string>

#include "agent/v1/mcp.pb.h"
#include "cursorwire/tool.h"

namespace cursorwire::agent {

// Calls of the client's tools on the wire. Source: docs/protocol.md, MCP calls.

// `name` is what ToolOffer::Find() says. `fallback_id` is the id of a call that came without one.
ToolCall ToToolCall(const ::agent::v1::McpArgs& call, std::string name, std::string fallback_id);

// A tool that fails is a success with `is_error`, and a status one with its message as text. There
// is at least one item, and the limits of cursorwire/tool.h hold: texts are cut at a character, and
// images that do not fit are left out, both with a notice in the text that says so.
::agent::v1::McpResult ToMcpResult(const absl::StatusOr<ToolResult>& result);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_TOOLS_TOOL_EXEC_H_
