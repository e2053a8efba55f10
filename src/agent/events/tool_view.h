#ifndef CURSORWIRE_SRC_AGENT_EVENTS_TOOL_VIEW_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_TOOL_VIEW_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <memory>
#include <string>

namespace cursorwire::agent {

// Parses bytes into the messages of agent/v1/tool_view_*.proto: the kinds of ToolCall, and
// `tool_call_delta` of ToolCallDeltaUpdate. These messages are only shown, so they have no
// generated code: they are built from embedded descriptors at the first call and stay until the
// program ends.
//
// `field` is the field that held `bytes`. nullptr: another field, a field whose content the schema
// does not describe, or bytes that do not parse. Thread-safe.
std::unique_ptr<google::protobuf::Message> ParseToolBytes(
    const google::protobuf::FieldDescriptor& field, const std::string& bytes);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_TOOL_VIEW_H_
