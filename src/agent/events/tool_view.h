#ifndef CURSORWIRE_SRC_AGENT_EVENTS_TOOL_VIEW_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_TOOL_VIEW_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <memory>
#include <string>

namespace cursorwire::agent {

// Reads the messages of agent/v1/tool_view_*.proto, which have no generated code since they are
// only shown: bytes of a kind of ToolCall, and `tool_call_delta` of ToolCallDeltaUpdate. They are
// built from embedded descriptors when the first is read, and stay until the program ends.
//
// `field` is the field that `bytes` came from. nullptr: it is another field, the schema does not
// tell what is in it, or the bytes do not parse. Thread-safe.
std::unique_ptr<google::protobuf::Message> ParseToolBytes(
    const google::protobuf::FieldDescriptor& field, const std::string& bytes);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_TOOL_VIEW_H_
