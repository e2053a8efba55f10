#ifndef CURSORWIRE_SRC_AGENT_EVENTS_TOOL_CALL_TEXT_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_TOOL_CALL_TEXT_H_

#include <string>

#include "agent/v1/interaction.pb.h"
#include "agent/v1/tool_call.pb.h"
#include "cursorwire/chat.h"

namespace cursorwire::agent {

// Tool calls in the form in which they are shown: JSON by protobuf's mapping, with the field names
// of the schema; 64-bit integers are strings and bytes are base64. A tool call within another one,
// such as that of a sub-agent, stays bytes. A call that does not parse becomes "{}". One that
// exceeds 1 MiB, as received or as JSON, becomes {"truncated":true,"bytes":N}, where N is its size
// as received. Source: docs/protocol.md, tool calls.

// `arguments_json` has the fields of `args` and every other field of the call except `result`; for
// an "mcp" tool it has the arguments that the tool is called with.
ToolCallInfo ToToolCallInfo(std::string call_id, std::string model_call_id,
                            const ::agent::v1::ToolCall& call);

// The `delta_json` of a ToolCallDelta.
std::string ToolCallDeltaJson(const ::agent::v1::ToolCallDeltaUpdate& update);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_TOOL_CALL_TEXT_H_
