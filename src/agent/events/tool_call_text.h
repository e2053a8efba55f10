#ifndef CURSORWIRE_SRC_AGENT_EVENTS_TOOL_CALL_TEXT_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_TOOL_CALL_TEXT_H_

#include <string>

#include "agent/v1/interaction.pb.h"
#include "agent/v1/tool_call.pb.h"
#include "cursorwire/chat.h"

namespace cursorwire::agent {

// Tool calls as they are shown: JSON by protobuf's mapping, with the names of the schema, so that
// 64-bit integers are strings and bytes are base64. A tool call within another one, as a sub-agent
// has them, is left as its bytes.
// What does not parse, or has fields that are not known, is "{}". What is over 1 MiB, received or
// as JSON, is {"truncated":true,"bytes":N}, N as it was received. Source: docs/protocol.md, tool
// calls.

// `arguments_json` has the fields of `args`, and what else the call has beside `result`; of an
// "mcp" tool what the tool is called with.
ToolCallInfo ToToolCallInfo(std::string call_id, std::string model_call_id,
                            const ::agent::v1::ToolCall& call);

// The `delta_json` of a ToolCallDelta.
std::string ToolCallDeltaJson(const ::agent::v1::ToolCallDeltaUpdate& update);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_TOOL_CALL_TEXT_H_
