#ifndef CURSORWIRE_SRC_AGENT_TOOLS_TOOL_EXEC_H_
#define CURSORWIRE_SRC_AGENT_TOOLS_TOOL_EXEC_H_

#include <absl/status/statusor.h>

#include <string>

#include "agent/v1/mcp.pb.h"
#include "cursorwire/tools.h"

namespace cursorwire::agent {

// Calls of the client's tools on the wire. Source: docs/protocol.md, MCP calls.

// `name` comes from ToolOffer::Find(). `fallback_id` is used if the call has no id.
ToolCall ToToolCall(const ::agent::v1::McpArgs& call, std::string name, std::string fallback_id);

// A failed tool, or a status with its message as text, becomes a success with `is_error`. The
// result has at least one item and keeps the limits of cursorwire/tools.h: texts are cut at a
// character, and images that do not fit are left out; a notice in the text says so.
::agent::v1::McpResult ToMcpResult(const absl::StatusOr<ToolResult>& result);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_TOOLS_TOOL_EXEC_H_
