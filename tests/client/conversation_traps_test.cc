// docs/protocol.md, traps, 10 to 16: those of several turns. The tests of one run are in
// tests/agent/run/run_traps_test.cc.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/history/prompt_message.h"
#include "cursorwire/client.h"
#include "cursorwire/conversation.h"
#include "cursorwire/local_upstream.h"
#include "cursorwire/script.h"
#include "support/chat_outcome.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;
using ::testing::SizeIs;

class ConversationTrap : public ::testing::Test {
 protected:
  void Play(std::vector<Script> scripts) {
    upstream_ = *LocalUpstream::Start({.scripts = std::move(scripts)});
    client_ = *Client::Create({.endpoint = upstream_->url(),
                               .token = "any",
                               .channel = {.tls = {.ca_pem = upstream_->ca_pem()}},
                               .environment = Environment{},
                               .retry = {.first_delay = std::chrono::milliseconds(0)}});
    talk_ = client_->NewConversation();
  }
  ChatOutcome Ask(const ChatRequest& request = {.prompt = "p"}) {
    ChatOutcome outcome;
    ChatStream stream = talk_->Chat(request);
    while (const auto event = stream.Next()) outcome.Add(*event);
    return outcome;
  }
  void TearDown() override { EXPECT_THAT(upstream_->violations(), IsEmpty()); }

  std::optional<LocalUpstream> upstream_;
  std::optional<Client> client_;
  std::optional<Conversation> talk_;
};

using ConversationTrap10 = ConversationTrap;
TEST_F(ConversationTrap10, HistoryIsInThePromptAndNotOnlyInTheTurns) {
  Play({Script()
            .GetRootPromptBlob(1)
            .Expect(R"({"blob_data": {"$text": {"$contains": "<user_query>\\nearlier\\n"}}})")
            .GetRootPromptBlob(2)
            .Expect(R"({"blob_data": {"$text": {"$contains": "answered"}}})")
            .TurnEnded()});
  ASSERT_THAT(talk_->SetHistory({{.prompt = "earlier", .items = {HistoryText{"answered"}}}}),
              IsOk());
  EXPECT_THAT(Ask().status, IsOk());
}

using ConversationTrap11 = ConversationTrap;
TEST_F(ConversationTrap11, AStateWhoseBlobsAreLostIsDropped) {
  const std::string missing(32, 'm');
  Play({Script().Text("a").TurnEnded().CheckpointBytes("\x0A\x20" + missing),
        Script().Error("internal", "Blob not found: 109"),
        Script()
            .ExpectRequest(R"({"conversation_state": {"$as": {"ConversationStateStructure":
                {"turns": {"$size": 1}}}}})")
            .Text("b")
            .TurnEnded()});
  ASSERT_THAT(Ask().status, IsOk());
  const ChatOutcome second = Ask();
  EXPECT_EQ(second.text, "b");
  EXPECT_THAT(second.rebuilt, Optional(RebuildReason::kStateLost));
}

using ConversationTrap12 = ConversationTrap;
TEST_F(ConversationTrap12, ATurnIsNotStartedAgainBehindItsEnd) {
  Play({Script().Text("a").TurnEnded().Drop(), Script().Text("b").TurnEnded()});
  const ChatOutcome first = Ask();
  EXPECT_EQ(first.text, "a");
  EXPECT_THAT(first.retries, IsEmpty());
  EXPECT_EQ(Ask().text, "b");
}

using ConversationTrap13 = ConversationTrap;
TEST_F(ConversationTrap13, ThinkingMakesNoCheckpointStale) {
  Play({Script().Thinking("hm").Text("a").TurnEnded().CheckpointBytes("\x50\x01"),
        Script()
            .ExpectRequest(R"({"conversation_state": {"$hex": "5001"}})")
            .Text("b")
            .TurnEnded()});
  ASSERT_THAT(Ask().status, IsOk());
  // As a program gives it back that does not know of the thinking.
  ASSERT_THAT(talk_->SetHistory({{.prompt = "p", .items = {HistoryText{"a"}}}}), IsOk());
  const ChatOutcome second = Ask();
  EXPECT_EQ(second.text, "b");
  EXPECT_EQ(second.rebuilt, std::nullopt);
}

using ConversationTrap14 = ConversationTrap;
TEST_F(ConversationTrap14, ACheckpointOfAnUnfinishedTurnIsNotKept) {
  Play({Script().Text("a").TurnEnded().CheckpointBytes("\x50\x01"),
        Script().CheckpointBytes("\x50\x02").Error("failed_precondition", "no"),
        Script()
            .ExpectRequest(R"({"conversation_state": {"$hex": "5001"}})")
            .Text("b")
            .TurnEnded()});
  ASSERT_THAT(Ask().status, IsOk());
  EXPECT_FALSE(Ask().status.ok());
  EXPECT_EQ(Ask().text, "b");
  EXPECT_THAT(talk_->history(), SizeIs(2));
}

TEST(ConversationTrap15, TheLastResultOfACallWins) {
  const HistoryTurn turn{
      .prompt = "p",
      .items = {HistoryToolCall{.call_id = "c", .name = "edit", .result = "first"},
                HistoryToolCall{.call_id = "d", .name = "read", .result = "other"},
                HistoryToolCall{.call_id = "c", .name = "edit", .result = "last"}}};
  std::string all;
  for (const std::string& message : agent::MessagesOf(turn)) all += message;
  EXPECT_THAT(all, HasSubstr(R"("result":"last")"));
  EXPECT_THAT(all, HasSubstr(R"("result":"other")"));
  EXPECT_THAT(all, Not(HasSubstr("first")));
}

using ConversationTrap16 = ConversationTrap;
TEST_F(ConversationTrap16, ADamagedCheckpointFailsNoTurn) {
  Play({Script().Text("a").TurnEnded().CheckpointBytes("\x0A\x7F"), Script().Text("b").TurnEnded(),
        Script().Text("c").TurnEnded()});
  ASSERT_THAT(Ask().status, IsOk());
  EXPECT_THAT(Ask().rebuilt, Optional(RebuildReason::kStateDamaged));
  const ChatOutcome third = Ask();
  EXPECT_EQ(third.text, "c");
  EXPECT_EQ(third.rebuilt, std::nullopt);
}

}  // namespace
}  // namespace cursorwire::test
