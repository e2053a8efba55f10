#include "agent/events/common_update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/events/drift.h"
#include "agent/run/server_message.h"
#include "agent/v1/run.pb.h"
#include "support/proto_text.h"

namespace cursorwire {
namespace {

namespace pb = ::agent::v1;

using agent::CommonUpdate;
using agent::FindCommonUpdate;
using test::FromText;
using ::testing::Eq;
using ::testing::Optional;
using Kind = CommonUpdate::Kind;

std::string Serialized(std::string_view text) {
  return FromText<pb::AgentServerMessage>(std::string(text)).SerializeAsString();
}

std::optional<Kind> KindOf(std::string_view text) {
  const std::optional<CommonUpdate> update = FindCommonUpdate(Serialized(text));
  if (!update) return std::nullopt;
  return update->kind;
}

// The fields in the order that is given, where the serializer would sort them.
std::string Field(char tag, const std::string& value) {
  return std::string{tag, static_cast<char>(value.size())} + value;
}

TEST(FindCommonUpdate, FindsText) {
  const std::string message = Serialized(R"(interaction_update { text_delta { text: "Grüße" } })");
  const std::optional<CommonUpdate> update = FindCommonUpdate(message);
  ASSERT_TRUE(update);
  EXPECT_EQ(update->kind, Kind::kText);
  EXPECT_EQ(update->text, "Grüße");
  EXPECT_GE(update->text.data(), message.data());
  EXPECT_LE(update->text.data() + update->text.size(), message.data() + message.size());
}

TEST(FindCommonUpdate, FindsTextOfAnyLength) {
  for (const unsigned size :
       {1u, 2u, 122u, 123u, 124u, 125u, 126u, 127u, 128u, 129u, 16'383u, 16'384u, 70'000u}) {
    pb::AgentServerMessage message;
    const std::string text(size, 'x');
    message.mutable_interaction_update()->mutable_text_delta()->set_text(text);
    const std::string bytes = message.SerializeAsString();
    const std::optional<CommonUpdate> update = FindCommonUpdate(bytes);
    ASSERT_TRUE(update) << size;
    EXPECT_EQ(update->text, text);
  }
}

TEST(FindCommonUpdate, FindsThinkingTokensAndHeartbeats) {
  const std::string thinking = Serialized(
      R"(interaction_update { thinking_delta { text: "Hm." thinking_style: THINKING_STYLE_GPT5 } })");
  ASSERT_TRUE(FindCommonUpdate(thinking));
  EXPECT_EQ(FindCommonUpdate(thinking)->kind, Kind::kThinking);
  EXPECT_EQ(FindCommonUpdate(thinking)->text, "Hm.");
  const std::string tokens = Serialized("interaction_update { token_delta { tokens: 300 } }");
  ASSERT_TRUE(FindCommonUpdate(tokens));
  EXPECT_EQ(FindCommonUpdate(tokens)->kind, Kind::kTokens);
  EXPECT_EQ(FindCommonUpdate(tokens)->tokens, 300);
  EXPECT_THAT(KindOf("interaction_update { heartbeat {} }"), Optional(Eq(Kind::kHeartbeat)));
}

TEST(FindCommonUpdate, LooksOverTheTimeOfTheMessage) {
  EXPECT_THAT(KindOf(R"(interaction_update { text_delta { text: "x" }
                                             message_started_at_ms: 1764000000000 })"),
              Optional(Eq(Kind::kText)));
}

TEST(FindCommonUpdate, LeavesTheRestToTheParser) {
  for (const std::string_view text :
       {R"(interaction_update { text_delta { text: "x" is_server_notice: true } })",
        R"(interaction_update { text_delta {} })", "interaction_update {}",
        R"(interaction_update { thinking_delta { thinking_style: THINKING_STYLE_GPT5 } })",
        "interaction_update { token_delta { tokens: -1 } }",
        "interaction_update { token_delta { tokens: 300000000 } }",
        "interaction_update { turn_ended {} }",
        R"(interaction_update { text_delta { text: "x" } } ttft_breakdown {})",
        R"(conversation_checkpoint_update: "x")", ""}) {
    EXPECT_EQ(KindOf(text), std::nullopt) << text;
  }
}

TEST(FindCommonUpdate, LeavesWhatIsUnusualToTheParser) {
  const std::string text = Field('\x0A', "x");
  ASSERT_TRUE(FindCommonUpdate(Field('\x0A', Field('\x0A', text))));
  // A field of no schema, at each of the three levels.
  EXPECT_FALSE(FindCommonUpdate(Field('\x0A', Field('\x0A', text + "\x18\x01"))));
  EXPECT_FALSE(FindCommonUpdate(Field('\x0A', Field('\x0A', text) + "\x68\x01")));
  EXPECT_FALSE(FindCommonUpdate(Field('\x0A', Field('\x0A', text)) + "\x48\x01"));
  // A field that comes twice: the last counts, or both are one.
  EXPECT_FALSE(FindCommonUpdate(Field('\x0A', Field('\x0A', text + text))));
  EXPECT_FALSE(FindCommonUpdate(Field('\x0A', Field('\x0A', text) + Field('\x0A', text))));
  EXPECT_FALSE(FindCommonUpdate(Field('\x0A', Field('\x0A', text) + Field('\x6A', ""))));
  // No UTF-8, and a style of a newer schema.
  EXPECT_FALSE(FindCommonUpdate(Field('\x0A', Field('\x0A', Field('\x0A', "\xFF")))));
  EXPECT_FALSE(FindCommonUpdate(Field('\x0A', Field('\x22', text + "\x10\x04"))));
  EXPECT_FALSE(FindCommonUpdate(Field('\x0A', Field('\x22', text + "\x10\x80"))));
}

// What is found, the parser finds as well, and no drift with it. After the bytes there are none
// that may be read.
void ExpectAsParsed(const std::string& text) {
  const auto memory = std::make_unique<char[]>(text.size());
  std::copy(text.begin(), text.end(), memory.get());
  const std::string_view bytes(memory.get(), text.size());
  const std::optional<CommonUpdate> update = FindCommonUpdate(bytes);
  if (!update) return;
  pb::AgentServerMessage message;
  ASSERT_TRUE(agent::ParseServerMessage(bytes, message).ok());
  EXPECT_TRUE(agent::HasNoDrift(message));
  EXPECT_EQ(agent::IsSignOfLife(message), update->kind == Kind::kHeartbeat);
  const pb::InteractionUpdate& parsed = message.interaction_update();
  switch (update->kind) {
    case Kind::kText:
      EXPECT_EQ(parsed.text_delta().text(), update->text);
      EXPECT_FALSE(parsed.text_delta().is_server_notice());
      break;
    case Kind::kThinking:
      EXPECT_EQ(parsed.thinking_delta().text(), update->text);
      break;
    case Kind::kTokens:
      EXPECT_EQ(parsed.token_delta().tokens(), update->tokens);
      break;
    case Kind::kHeartbeat:
      EXPECT_TRUE(parsed.has_heartbeat());
      break;
  }
}

TEST(FindCommonUpdate, ReadsNothingBehindTheMessage) {
  for (const std::string_view bytes :
       {std::string_view("\x0A\x00", 2), std::string_view("\x0A\x80\x00", 3),
        std::string_view("\x0A\x02\x0A\x00", 4), std::string_view("\x0A\x02\x42\x00", 4)}) {
    ExpectAsParsed(std::string(bytes));
    // As within a buffer, where other bytes follow.
    const std::string behind = std::string(bytes) + "\xFF\xFF\xFF\x7F";
    EXPECT_FALSE(FindCommonUpdate(std::string_view(behind).substr(0, bytes.size())));
  }
}

TEST(FindCommonUpdate, SaysWhatTheParserSays) {
  for (
      const std::string_view text :
      {R"(interaction_update { text_delta { text: "Grüße" } message_started_at_ms: 5 })",
       R"(interaction_update { thinking_delta { text: "x" thinking_style: THINKING_STYLE_CODEX } })",
       "interaction_update { token_delta { tokens: 300 } }",
       "interaction_update { heartbeat {} message_started_at_ms: 1764000000000 }"}) {
    const std::string bytes = Serialized(text);
    for (size_t size = 0; size < bytes.size(); ++size) ExpectAsParsed(bytes.substr(0, size));
    for (size_t i = 0; i < bytes.size(); ++i) {
      std::string changed = bytes;
      for (int value = 0; value < 256; ++value) {
        changed[i] = static_cast<char>(value);
        ExpectAsParsed(changed);
      }
    }
  }
}

}  // namespace
}  // namespace cursorwire
