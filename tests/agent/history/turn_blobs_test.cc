#include "agent/history/turn_blobs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "agent/history/prompt_message.h"
#include "agent/history/state_blobs.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using ::testing::SizeIs;

const HistoryTurn kTurn{
    .prompt = "hi",
    .items = {HistoryText{"One."},
              HistoryToolCall{.call_id = "c1",
                              .name = "mcp_cursorwire_now",
                              .arguments_json = R"({"zone":"CET"})",
                              .result = "noon"},
              HistoryToolCall{.call_id = "c2", .name = "shell", .arguments_json = "{}"}}};

template <typename Message>
Message Parsed(const BlobStore& blobs, const std::string& id) {
  Message message;
  EXPECT_TRUE(message.ParseFromString(blobs.Get(id).value_or("?")));
  return message;
}

// docs/protocol.md, several turns.
TEST(AddTurn, StoresTheTurnAsItIsDisplayed) {
  MemoryBlobStore blobs;
  pb::ConversationStateStructure state;
  AddTurn(kTurn, blobs, state);
  ASSERT_THAT(state.turns(), SizeIs(1));
  const auto turn =
      Parsed<pb::ConversationTurnStructure>(blobs, state.turns(0)).agent_conversation_turn();
  EXPECT_EQ(Parsed<pb::UserMessage>(blobs, turn.user_message()).text(), "hi");
  // The shell has no form that a client may write.
  ASSERT_THAT(turn.steps(), SizeIs(2));
  EXPECT_EQ(Parsed<pb::ConversationStep>(blobs, turn.steps(0)).assistant_message().text(), "One.");
  const pb::McpToolCall call =
      Parsed<pb::ConversationStep>(blobs, turn.steps(1)).tool_call().mcp_tool_call();
  EXPECT_EQ(call.args().tool_name(), "now");
  EXPECT_EQ(call.args().tool_call_id(), "c1");
  EXPECT_EQ(call.args().args().count("zone"), 1u);
  EXPECT_EQ(call.result().success().content(0).text().text(), "noon");
}

TEST(AddTurn, PutsItsMessagesIntoThePrompt) {
  MemoryBlobStore blobs;
  pb::ConversationStateStructure state;
  AddTurn(kTurn, blobs, state);
  const std::vector<std::string> messages = MessagesOf(kTurn);
  ASSERT_THAT(state.root_prompt_messages_json(), SizeIs(static_cast<int>(messages.size())));
  for (size_t i = 0; i < messages.size(); ++i) {
    EXPECT_EQ(blobs.Get(state.root_prompt_messages_json(static_cast<int>(i))), messages[i]);
  }
  pb::ConversationStateStructure unfinished;
  AddPromptMessages(kTurn, blobs, unfinished);
  EXPECT_THAT(unfinished.turns(), SizeIs(0));
  EXPECT_EQ(unfinished.root_prompt_messages_json_size(), state.root_prompt_messages_json_size());
}

TEST(AddTurn, MakesAStateWithoutHoles) {
  MemoryBlobStore blobs;
  pb::ConversationStateStructure state;
  AddTurn(kTurn, blobs, state);
  const StateBlobs found = FindStateBlobs(state.SerializeAsString(), blobs);
  EXPECT_EQ(found.missing, 0u);
  EXPECT_THAT(found.found, SizeIs(3 + 1 + 3));  // messages; the turn; what it names
}

}  // namespace
}  // namespace cursorwire::agent
