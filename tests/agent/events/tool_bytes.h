#ifndef CURSORWIRE_TESTS_AGENT_EVENTS_TOOL_BYTES_H_
#define CURSORWIRE_TESTS_AGENT_EVENTS_TOOL_BYTES_H_

#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "agent/events/tool_view.h"
#include "agent/v1/interaction.pb.h"
#include "agent/v1/tool_call.pb.h"

namespace cursorwire::test {

// A message that has no generated code, from protobuf text, as the bytes of `field`.
inline std::string ToolBytes(const google::protobuf::FieldDescriptor& field,
                             const std::string& text) {
  const auto message = agent::ParseToolBytes(field, "");
  EXPECT_NE(message, nullptr) << field.name();
  if (message == nullptr) return "";
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, message.get())) << text;
  return message->SerializeAsString();
}

// A call of that field, such as "shell_tool_call".
inline ::agent::v1::ToolCall ToolCallOf(const std::string& field_name, const std::string& text) {
  ::agent::v1::ToolCall call;
  const auto* field = call.GetDescriptor()->FindFieldByName(field_name);
  EXPECT_NE(field, nullptr) << field_name;
  call.GetReflection()->SetString(&call, field, ToolBytes(*field, text));
  return call;
}

inline ::agent::v1::ToolCallDeltaUpdate ToolCallDeltaOf(const std::string& text) {
  ::agent::v1::ToolCallDeltaUpdate update;
  const auto* field = update.GetDescriptor()->FindFieldByName("tool_call_delta");
  update.set_tool_call_delta(ToolBytes(*field, text));
  return update;
}

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_AGENT_EVENTS_TOOL_BYTES_H_
