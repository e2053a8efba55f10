#include "agent/run/server_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/status_matchers.h"
#include "wire/proto_writer.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;

// A message with these bytes in one field.
std::string Field(uint32_t number, std::string_view bytes) {
  wire::ProtoWriter writer;
  writer.Bytes(number, bytes);
  return writer.message();
}

TEST(ServerMessage, MendsTextThatIsOnlyShown) {
  const std::string bytes = Field(pb::AgentServerMessage::kInteractionUpdateFieldNumber,
                                  Field(pb::InteractionUpdate::kTextDeltaFieldNumber,
                                        Field(pb::TextDeltaUpdate::kTextFieldNumber,
                                              "a\xFF"
                                              "b")));
  pb::AgentServerMessage message;
  ASSERT_THAT(ParseServerMessage(bytes, message), IsOk());
  EXPECT_EQ(message.interaction_update().text_delta().text(),
            "a\xEF\xBF\xBD"
            "b");
}

TEST(ServerMessage, RefusesTextToActOnThatIsNotUtf8) {
  const std::string bytes =
      Field(pb::AgentServerMessage::kExecServerMessageFieldNumber,
            Field(pb::ExecServerMessage::kReadArgsFieldNumber, Field(pb::ReadArgs::kPathFieldNumber,
                                                                     "a\xFF"
                                                                     "b")));
  pb::AgentServerMessage message;
  EXPECT_THAT(ParseServerMessage(bytes, message),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("AgentServerMessage of 9 bytes")));
}

TEST(ServerMessage, RefusesBytesThatAreNoMessage) {
  pb::AgentServerMessage message;
  EXPECT_THAT(ParseServerMessage("\x0A\x05"
                                 "abc",
                                 message),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("5 bytes does not parse")));
}

TEST(ServerMessage, TellsHeartbeatsFromWork) {
  pb::AgentServerMessage message;
  EXPECT_TRUE(IsSignOfLife(message));
  message.mutable_interaction_update();
  EXPECT_TRUE(IsSignOfLife(message));
  message.mutable_interaction_update()->mutable_heartbeat();
  EXPECT_TRUE(IsSignOfLife(message));
  message.mutable_interaction_update()->mutable_text_delta();
  EXPECT_FALSE(IsSignOfLife(message));
  message.mutable_exec_server_message();
  EXPECT_FALSE(IsSignOfLife(message));
}

}  // namespace
}  // namespace cursorwire::agent
