#include "agent/run/wire_walk.h"

#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "agent/v1/run.pb.h"
#include "wire/proto_writer.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using ::testing::Eq;
using ::testing::Optional;

const google::protobuf::Descriptor& Type() { return *pb::AgentServerMessage::descriptor(); }

std::string Delta(std::string_view text) {
  wire::ProtoWriter delta;
  delta.Bytes(pb::TextDeltaUpdate::kTextFieldNumber, text);
  wire::ProtoWriter update;
  update.Bytes(pb::InteractionUpdate::kTextDeltaFieldNumber, delta.message());
  wire::ProtoWriter message;
  message.Bytes(pb::AgentServerMessage::kInteractionUpdateFieldNumber, update.message());
  return message.message();
}

TEST(WithUtf8Strings, ReplacesEachBadByteOfAString) {
  EXPECT_THAT(WithUtf8Strings(Delta("a\xff\xfe"
                                    "b"),
                              Type()),
              Optional(Eq(Delta("a\xEF\xBF\xBD\xEF\xBF\xBD"
                                "b"))));
}

TEST(WithUtf8Strings, LeavesAllElseAsItIs) {
  wire::ProtoWriter unknown;
  unknown.Bytes(500, "\xff");
  unknown.Varint(501, ~uint64_t{0});
  unknown.Fixed32(502, 7);
  unknown.Fixed64(503, ~uint64_t{0});
  // Bytes of a field that is of type bytes, and a number where the type says message.
  unknown.Bytes(pb::AgentServerMessage::kConversationCheckpointUpdateFieldNumber, "\xff");
  unknown.Varint(pb::AgentServerMessage::kInteractionUpdateFieldNumber, 1);
  for (const std::string& message :
       {std::string(), unknown.message(), Delta(""), Delta("text"), Delta("a") + Delta("b")}) {
    EXPECT_THAT(WithUtf8Strings(message, Type()), Optional(Eq(message)));
  }
}

TEST(WireWalk, RefusesWhatIsNotWellFormed) {
  const std::string whole = Delta("text");
  EXPECT_TRUE(IsWellFormed(whole, Type()));
  EXPECT_TRUE(IsWellFormed(Delta("\xff"), Type()));
  for (size_t size = 1; size < whole.size(); ++size) {
    EXPECT_FALSE(IsWellFormed(whole.substr(0, size), Type())) << size;
    EXPECT_FALSE(WithUtf8Strings(whole.substr(0, size), Type())) << size;
  }
  wire::ProtoWriter inner;
  inner.Bytes(pb::AgentServerMessage::kInteractionUpdateFieldNumber, "\x0A");
  EXPECT_FALSE(IsWellFormed(inner.message(), Type()));
  EXPECT_FALSE(WithUtf8Strings(inner.message(), Type()));
}

// A google.protobuf.Value in a list of Values, and so on.
TEST(WireWalk, EndsAtTheDepthOfProtobuf) {
  const google::protobuf::Descriptor& value = *google::protobuf::Value::descriptor();
  std::string message;
  const auto wrap = [&message] {
    wire::ProtoWriter list;
    list.Bytes(google::protobuf::ListValue::kValuesFieldNumber, message);
    wire::ProtoWriter outer;
    outer.Bytes(google::protobuf::Value::kListValueFieldNumber, list.message());
    message = outer.message();
  };
  for (int i = 0; i < 50; ++i) wrap();
  EXPECT_TRUE(IsWellFormed(message, value));
  EXPECT_TRUE(WithUtf8Strings(message, value));
  wrap();
  EXPECT_FALSE(IsWellFormed(message, value));
  EXPECT_FALSE(WithUtf8Strings(message, value));
  for (int i = 0; i < 1000; ++i) wrap();
  EXPECT_FALSE(IsWellFormed(message, value));
}

}  // namespace
}  // namespace cursorwire::agent
