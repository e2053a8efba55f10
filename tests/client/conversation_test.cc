// Several turns of one conversation, over loopback sockets.
#include "cursorwire/conversation.h"

#include <absl/strings/escaping.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cursorwire/blob_store.h"
#include "cursorwire/client.h"
#include "cursorwire/local_upstream.h"
#include "cursorwire/script.h"
#include "support/chat_outcome.h"
#include "support/patience.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;
using ::testing::SizeIs;

Client ConnectTo(const LocalUpstream& upstream) {
  return *Client::Create({.endpoint = upstream.url(),
                          .token = "any",
                          .channel = {.tls = {.ca_pem = upstream.ca_pem()}},
                          .environment = Environment{},
                          .retry = {.first_delay = std::chrono::milliseconds(0)}});
}

ChatOutcome ReadAll(ChatStream stream) {
  ChatOutcome outcome;
  for (const auto& event : stream) outcome.Add(event);
  return outcome;
}

HistoryTurn TurnOf(const char* prompt, const char* answer) {
  return {.prompt = prompt, .items = {HistoryText{answer}}};
}

// Runs of scripts, one after the other.
class Scripts {
 public:
  explicit Scripts(std::vector<Script> scripts, const ConversationOptions& options = {})
      : upstream_(*LocalUpstream::Start({.scripts = std::move(scripts)})),
        client_(ConnectTo(upstream_)),
        talk_(client_.NewConversation(options)) {}
  ~Scripts() { EXPECT_THAT(upstream_.violations(), IsEmpty()); }

  Conversation& talk() { return talk_; }
  const Client& client() const { return client_; }
  LocalUpstream& upstream() { return upstream_; }
  ChatOutcome Ask(const ChatRequest& request) { return ReadAll(talk_.Chat(request)); }

 private:
  LocalUpstream upstream_;
  Client client_;
  Conversation talk_;
};

class Assistant : public ::testing::Test {
 protected:
  LocalUpstream upstream_ = *LocalUpstream::Start();
  Client client_ = ConnectTo(upstream_);
  Conversation talk_ = client_.NewConversation();
};

TEST_F(Assistant, RemembersTheTurnsBefore) {
  EXPECT_EQ(talk_.id(), "");
  const ChatOutcome first =
      ReadAll(talk_.Chat({.prompt = "My name is Ada.", .system = "Be brief."}));
  ASSERT_THAT(first.status, IsOk());
  const std::string id = talk_.id();
  EXPECT_THAT(id, SizeIs(36));
  const ChatOutcome second =
      ReadAll(talk_.Chat({.prompt = "What did I say?", .system = "Be brief."}));
  ASSERT_THAT(second.status, IsOk());
  EXPECT_THAT(second.text, AllOf(HasSubstr("Before that, you said:\n- \"My name is Ada.\""),
                                 HasSubstr("Your rules are: <rules>\nBe brief.\n</rules>\n")));
  const ChatOutcome third = ReadAll(talk_.Chat({.prompt = "And now?", .system = "Be brief."}));
  EXPECT_THAT(third.text,
              AllOf(HasSubstr("- \"My name is Ada.\""), HasSubstr("- \"What did I say?\"")));
  EXPECT_EQ(talk_.id(), id);
  EXPECT_EQ(third.rebuilt, std::nullopt);
  ASSERT_THAT(talk_.history(), SizeIs(3));
  EXPECT_EQ(talk_.history()[0], TurnOf("My name is Ada.", first.text.c_str()));
  EXPECT_EQ(talk_.model(), "default");
  EXPECT_THAT(upstream_.violations(), IsEmpty());
}

TEST_F(Assistant, RemembersWhatAnotherHistorySays) {
  ASSERT_THAT(talk_.SetHistory({TurnOf("My name is Bob.", "Hello, Bob.")}), IsOk());
  const ChatOutcome outcome = ReadAll(talk_.Chat({.prompt = "Who am I?"}));
  EXPECT_THAT(outcome.text, HasSubstr("- \"My name is Bob.\""));
  EXPECT_EQ(outcome.rebuilt, std::nullopt);  // no service knew another
}

TEST_F(Assistant, TakesANewIdForARewrittenHistory) {
  ASSERT_THAT(ReadAll(talk_.Chat({.prompt = "My name is Ada."})).status, IsOk());
  const std::string id = talk_.id();
  std::vector<HistoryTurn> edited = talk_.history();
  ASSERT_THAT(talk_.SetHistory(edited), IsOk());  // the same: nothing changes
  ASSERT_THAT(ReadAll(talk_.Chat({.prompt = "One."})).status, IsOk());
  EXPECT_EQ(talk_.id(), id);

  edited = talk_.history();
  edited[0].prompt = "My name is Eve.";
  ASSERT_THAT(talk_.SetHistory(edited), IsOk());
  const ChatOutcome outcome = ReadAll(talk_.Chat({.prompt = "Two."}));
  EXPECT_THAT(outcome.rebuilt, Optional(RebuildReason::kHistoryChanged));
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("Eve"), Not(HasSubstr("Ada")), HasSubstr("One.")));
  EXPECT_NE(talk_.id(), id);
  EXPECT_THAT(upstream_.violations(), IsEmpty());
}

TEST_F(Assistant, GoesOnInAForkWithoutTheTurnsBehindIt) {
  ASSERT_THAT(ReadAll(talk_.Chat({.prompt = "My name is Ada."})).status, IsOk());
  ASSERT_THAT(ReadAll(talk_.Chat({.prompt = "I like tea."})).status, IsOk());
  Conversation fork = talk_.Fork(1);
  EXPECT_THAT(fork.history(), SizeIs(1));
  const ChatOutcome outcome = ReadAll(fork.Chat({.prompt = "What do I like?"}));
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("Ada"), Not(HasSubstr("tea"))));
  EXPECT_NE(fork.id(), talk_.id());
  EXPECT_THAT(ReadAll(talk_.Chat({.prompt = "And here?"})).text, HasSubstr("tea"));
  EXPECT_THAT(talk_.history(), SizeIs(3));
  EXPECT_THAT(upstream_.violations(), IsEmpty());
}

TEST_F(Assistant, TellsTheHistoryEachTimeWhereItIsToldTo) {
  Conversation talk =
      client_.NewConversation({.state_policy = StatePolicy::kRebuildEveryTurn, .id = "my-id"});
  ASSERT_THAT(ReadAll(talk.Chat({.prompt = "My name is Ada."})).status, IsOk());
  const ChatOutcome outcome = ReadAll(talk.Chat({.prompt = "Who am I?"}));
  EXPECT_THAT(outcome.text, HasSubstr("Ada"));
  EXPECT_EQ(outcome.rebuilt, std::nullopt);
  EXPECT_EQ(talk.id(), "my-id");
  EXPECT_THAT(upstream_.violations(), IsEmpty());
}

TEST_F(Assistant, DropsRulesThatAreNoLongerWanted) {
  ASSERT_THAT(ReadAll(talk_.Chat({.prompt = "One.", .system = "Be brief."})).status, IsOk());
  const ChatOutcome outcome = ReadAll(talk_.Chat({.prompt = "Two."}));
  EXPECT_THAT(outcome.rebuilt, Optional(RebuildReason::kRulesRemoved));
  EXPECT_THAT(outcome.text, AllOf(Not(HasSubstr("Be brief.")), HasSubstr("One.")));
}

TEST_F(Assistant, RefusesAHistoryThatIsNotUtf8) {
  for (const HistoryTurn& turn :
       {TurnOf("\xFF", "a"), TurnOf("a", "\xFF"),
        HistoryTurn{.prompt = "p", .items = {HistoryToolCall{.result = "\x80"}}}}) {
    EXPECT_THAT(talk_.SetHistory({turn}), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

TEST_F(Assistant, EndsWithItsClient) {
  { const Client gone = std::move(client_); }
  EXPECT_THAT(talk_.Chat({.prompt = "hi"}).Collect(),
              StatusIs(absl::StatusCode::kCancelled, HasSubstr("client")));
}

TEST(Conversation, RefusesASecondTurnMeanwhile) {
  Scripts scripts({Script().Text("a").ExpectCancel(), Script().Text("b").TurnEnded()});
  {
    ChatStream first = scripts.talk().Chat({.prompt = "one"});
    ASSERT_TRUE(first.Next().has_value());
    EXPECT_THAT(scripts.Ask({.prompt = "two"}).status,
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("another turn")));
    EXPECT_THAT(scripts.talk().SetHistory({TurnOf("a", "b")}),
                StatusIs(absl::StatusCode::kFailedPrecondition));
  }
  // Given up: it is out of the way at once.
  EXPECT_EQ(scripts.Ask({.prompt = "two"}).text, "b");
  EXPECT_THAT(scripts.talk().history(), ElementsAre(TurnOf("two", "b")));
}

TEST(Conversation, KeepsATurnThatWasCompleteWhenItsStreamWasDestroyed) {
  Scripts scripts({Script().Text("a").TurnEnded().Stall(), Script().Text("b").TurnEnded()});
  {
    ChatStream first = scripts.talk().Chat({.prompt = "one"});
    while (const auto event = first.Next()) {
      if ((*event)->As<TurnEnded>() != nullptr) break;
    }
  }
  EXPECT_EQ(scripts.Ask({.prompt = "two"}).text, "b");
  EXPECT_THAT(scripts.talk().history(), ElementsAre(TurnOf("one", "a"), TurnOf("two", "b")));
}

TEST(Conversation, SendsTheLastCheckpointOfACompleteTurnVerbatim) {
  const std::string last("\x50\x01\xB2\x3E\x01x", 6);
  Scripts scripts({Script().Text("a").CheckpointBytes("\x50\x02").TurnEnded().CheckpointBytes(last),
                   Script()
                       .ExpectRequest(R"({"conversation_state": {"$hex": "5001b23e0178"}})")
                       .Text("b")
                       .TurnEnded()});
  ASSERT_THAT(scripts.Ask({.prompt = "one"}).status, IsOk());
  EXPECT_EQ(scripts.Ask({.prompt = "two"}).text, "b");
}

TEST(Conversation, TellsTheHistoryWhereNoCheckpointHoldsIt) {
  // The last text came after the only checkpoint.
  Scripts scripts({Script().Text("a").CheckpointBytes("\x50\x02").Text("b").TurnEnded(),
                   Script()
                       .ExpectRequest(R"({"conversation_state": {"$as":
                           {"ConversationStateStructure": {"root_prompt_messages_json":
                               {"$size": 3}, "turns": {"$size": 1}}}}})")
                       .GetRootPromptBlob(2)
                       .Expect(R"({"blob_data": {"$text": {"$contains": "ab"}}})")
                       .TurnEnded()});
  ASSERT_THAT(scripts.Ask({.prompt = "one"}).status, IsOk());
  const std::string id = scripts.talk().id();
  EXPECT_THAT(scripts.Ask({.prompt = "two"}).status, IsOk());
  EXPECT_EQ(scripts.talk().id(), id);
}

// docs/protocol.md, traps, 14; a cancelled turn never overwrites the last good state.
TEST(Conversation, GoesOnAsIfAnUnfinishedTurnHadNotBeenWhereItIsToldTo) {
  const char* good = R"({"conversation_state": {"$hex": "5001"}})";
  Scripts scripts(
      {Script().Text("a").TurnEnded().CheckpointBytes("\x50\x01"),
       Script().Text("x").CheckpointBytes("\x50\x02").Error("invalid_argument", "no"),
       Script().ExpectRequest(good).Text("y").CheckpointBytes("\x50\x03").ExpectCancel(),
       Script().ExpectRequest(good).Text("b").TurnEnded()},
      {.unfinished_turns = UnfinishedTurns::kForget});
  ASSERT_THAT(scripts.Ask({.prompt = "one"}).status, IsOk());
  EXPECT_THAT(scripts.Ask({.prompt = "two"}).status, StatusIs(absl::StatusCode::kInvalidArgument));
  ChatStream cancelled = scripts.talk().Chat({.prompt = "three"});
  ASSERT_TRUE(cancelled.Next().has_value());
  cancelled.Cancel();
  EXPECT_THAT(ReadAll(std::move(cancelled)).status, StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(scripts.Ask({.prompt = "four"}).text, "b");
  EXPECT_THAT(scripts.talk().history(), ElementsAre(TurnOf("one", "a"), TurnOf("four", "b")));
}

// A turn that is cancelled once its first event has come.
absl::Status AskAndCancel(Conversation& talk, const ChatRequest& request) {
  ChatStream stream = talk.Chat(request);
  EXPECT_TRUE(stream.Next().has_value());
  stream.Cancel();
  return ReadAll(std::move(stream)).status;
}

HistoryTurn Unfinished(const char* prompt, const char* answer, TurnEnding ending) {
  HistoryTurn turn = TurnOf(prompt, answer);
  turn.ending = ending;
  return turn;
}

// The blob of that root prompt message has the text.
Script& ExpectMessage(Script& script, int index, const std::string& text) {
  return script.GetRootPromptBlob(index).Expect(R"({"blob_data": {"$text": {"$contains": ")" +
                                                text + R"("}}})");
}

// The state of the last complete turn stays, and the others are told after it.
TEST(Conversation, TellsTheAgentOfTurnsThatWereStoppedOrFailed) {
  Script fourth = Script().ExpectRequest(R"({"conversation_state": {"$as":
      {"ConversationStateStructure": {"mode": "AGENT_MODE_AGENT", "turns": {"$size": 0},
                                      "root_prompt_messages_json": {"$size": 6}}}}})");
  ExpectMessage(fourth, 0, "two");
  ExpectMessage(fourth, 1, "x");
  ExpectMessage(fourth, 2, "This turn failed");
  ExpectMessage(fourth, 3, "three");
  ExpectMessage(fourth, 4, "y");
  ExpectMessage(fourth, 5, "The user stopped this turn");
  Scripts scripts({Script().Text("a").TurnEnded().CheckpointBytes("\x50\x01"),
                   Script().Text("x").CheckpointBytes("\x50\x02").Error("invalid_argument", "no"),
                   Script().Text("y").CheckpointBytes("\x50\x03").ExpectCancel(),
                   fourth.Text("b").TurnEnded().CheckpointBytes("\x50\x04"),
                   Script()
                       .ExpectRequest(R"({"conversation_state": {"$hex": "5004"}})")
                       .Text("c")
                       .TurnEnded()});
  ASSERT_THAT(scripts.Ask({.prompt = "one"}).status, IsOk());
  const std::string id = scripts.talk().id();
  EXPECT_THAT(scripts.Ask({.prompt = "two"}).status, StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(AskAndCancel(scripts.talk(), {.prompt = "three"}),
              StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(scripts.talk().history(),
              ElementsAre(TurnOf("one", "a"), Unfinished("two", "x", TurnEnding::kFailed),
                          Unfinished("three", "y", TurnEnding::kCancelled)));
  const ChatOutcome outcome = scripts.Ask({.prompt = "four"});
  EXPECT_EQ(outcome.text, "b");
  EXPECT_EQ(outcome.rebuilt, std::nullopt);
  EXPECT_EQ(scripts.talk().id(), id);
  EXPECT_THAT(scripts.talk().history(), SizeIs(4));
  EXPECT_EQ(scripts.Ask({.prompt = "five"}).text, "c");
}

TEST(Conversation, TellsTheAgentOfAStoppedTurnInAnotherProcessToo) {
  Script third;
  ExpectMessage(third, 1, "x");
  Scripts scripts({Script().Text("a").TurnEnded().CheckpointBytes("\x50\x01"),
                   Script().Text("x").ExpectCancel(), third.Text("b").TurnEnded()});
  ASSERT_THAT(scripts.Ask({.prompt = "one"}).status, IsOk());
  EXPECT_THAT(AskAndCancel(scripts.talk(), {.prompt = "two"}),
              StatusIs(absl::StatusCode::kCancelled));
  absl::StatusOr<Conversation> loaded =
      Conversation::Deserialize(scripts.client(), scripts.talk().Serialize());
  ASSERT_THAT(loaded, IsOk());
  EXPECT_EQ(loaded->history(), scripts.talk().history());
  const ChatOutcome outcome = ReadAll(loaded->Chat({.prompt = "go on"}));
  EXPECT_EQ(outcome.text, "b");
  EXPECT_EQ(outcome.rebuilt, std::nullopt);
}

TEST(Conversation, TellsTheAgentOfAFirstTurnThatWasStopped) {
  Script second = Script().ExpectRequest(R"({"conversation_state": {"$as":
      {"ConversationStateStructure": {"root_prompt_messages_json": {"$size": 4}}}}})");
  ExpectMessage(second, 1, "one");
  ExpectMessage(second, 3, "The user stopped this turn");
  Scripts scripts({Script().Text("x").ExpectCancel(), second.Text("b").TurnEnded()});
  EXPECT_THAT(AskAndCancel(scripts.talk(), {.prompt = "one"}),
              StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(scripts.Ask({.prompt = "two"}).text, "b");
}

TEST(Conversation, TakesAStoppedTurnBackWithoutLosingTheState) {
  Scripts scripts({Script().Text("a").TurnEnded().CheckpointBytes("\x50\x01"),
                   Script().Text("x").ExpectCancel(),
                   Script()
                       .ExpectRequest(R"({"conversation_state": {"$hex": "5001"}})")
                       .Text("b")
                       .TurnEnded()});
  ASSERT_THAT(scripts.Ask({.prompt = "one"}).status, IsOk());
  EXPECT_THAT(AskAndCancel(scripts.talk(), {.prompt = "two"}),
              StatusIs(absl::StatusCode::kCancelled));
  std::vector<HistoryTurn> turns = scripts.talk().history();
  turns.pop_back();
  ASSERT_THAT(scripts.talk().SetHistory(turns), IsOk());
  EXPECT_EQ(scripts.Ask({.prompt = "three"}).rebuilt, std::nullopt);
}

// An action that was under way may have been done.
TEST(Conversation, KeepsAnActionThatWasStopped) {
  std::promise<void> started;
  std::promise<void> released;
  ToolRegistry tools;
  tools.Add({.name = "look"}, [&](const ToolCall&) {
    started.set_value();
    released.get_future().wait();
    return ToolResult::Text("late");
  });
  Scripts scripts({Script().Text("x").CallTool("look").NoAwait().ExpectCancel()});
  ChatStream stream = scripts.talk().Chat({.prompt = "one", .tools = tools});
  started.get_future().wait();
  stream.Cancel();
  EXPECT_THAT(ReadAll(std::move(stream)).status, StatusIs(absl::StatusCode::kCancelled));
  released.set_value();
  const std::vector<HistoryTurn> turns = scripts.talk().history();
  ASSERT_THAT(turns, SizeIs(1));
  ASSERT_THAT(turns[0].items, SizeIs(2));
  const auto& call = std::get<HistoryToolCall>(turns[0].items[1]);
  EXPECT_EQ(call.name, "mcp_cursorwire_look");
  EXPECT_TRUE(call.is_error);
  EXPECT_THAT(call.result, HasSubstr("it may have been done"));
}

TEST(Conversation, KeepsAQuestionAloneOnlyWhereItIsToldTo) {
  for (const UnfinishedTurns keeps :
       {UnfinishedTurns::kKeepAnswered, UnfinishedTurns::kKeepAsked}) {
    Scripts scripts({Script().Error("internal", "no"), Script().Error("invalid_argument", "no")},
                    {.unfinished_turns = keeps});
    EXPECT_THAT(scripts.Ask({.prompt = "one"}).status, StatusIs(absl::StatusCode::kInternal));
    // A request that is refused might be refused again.
    EXPECT_THAT(scripts.Ask({.prompt = "two"}).status,
                StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(scripts.Ask({.prompt = "\xFF"}).status,
                StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(scripts.talk().history(), SizeIs(keeps == UnfinishedTurns::kKeepAsked ? 1 : 0));
  }
}

// "Try again" makes sense once there is another login, model or limit. Who asks the same in so many
// words is told of once.
TEST(Conversation, KeepsAQuestionOnceThatTheAccountCouldNotAsk) {
  const auto failed = [](const char* prompt) {
    return HistoryTurn{.prompt = prompt, .ending = TurnEnding::kFailed};
  };
  for (const char* code :
       {"unauthenticated", "permission_denied", "not_found", "resource_exhausted", "unavailable"}) {
    SCOPED_TRACE(code);
    Scripts scripts(std::vector<Script>(4, Script().Error(code, "no")),
                    {.unfinished_turns = UnfinishedTurns::kKeepAsked});
    for (const char* prompt : {"one", "one", "try again", "one"}) {
      EXPECT_FALSE(scripts.Ask({.prompt = prompt}).status.ok());
    }
    EXPECT_THAT(scripts.talk().history(),
                ElementsAre(failed("one"), failed("try again"), failed("one")));
  }
}

// Each might be refused again.
TEST(Conversation, KeepsNoQuestionThatWasRefused) {
  for (const char* code : {"invalid_argument", "out_of_range"}) {
    SCOPED_TRACE(code);
    Scripts scripts({Script().Error(code, "no"), Script().Text("x").Error(code, "no")},
                    {.unfinished_turns = UnfinishedTurns::kKeepAsked});
    EXPECT_FALSE(scripts.Ask({.prompt = "one"}).status.ok());
    EXPECT_THAT(scripts.talk().history(), IsEmpty());
    // One that was answered in part was not refused.
    EXPECT_FALSE(scripts.Ask({.prompt = "two"}).status.ok());
    EXPECT_THAT(scripts.talk().history(), ElementsAre(Unfinished("two", "x", TurnEnding::kFailed)));
  }
}

// The second attempt ends before it has said all again that the first has shown.
TEST(Conversation, KeepsAllThatWasShownByFormerAttempts) {
  Scripts scripts({Script().Text("Hello ").CheckpointBytes("\x50\x01").Text("world").Drop(),
                   Script().Text("wo").Error("invalid_argument", "no")});
  const ChatOutcome outcome = scripts.Ask({.prompt = "one"});
  EXPECT_EQ(outcome.text, "Hello world");
  EXPECT_THAT(scripts.talk().history(),
              ElementsAre(Unfinished("one", "Hello world", TurnEnding::kFailed)));
}

// Of several that fail in a row, too.
TEST(Conversation, KeepsAllThatWasShownByTheFirstOfManyAttempts) {
  Scripts scripts({Script().Text("Hello ").CheckpointBytes("\x50\x01").Text("world").Drop(),
                   Script().Drop(), Script().Text("wo").Drop(),
                   Script().Error("invalid_argument", "no")});
  const ChatOutcome outcome = scripts.Ask({.prompt = "one", .model = "m"});
  EXPECT_EQ(outcome.text, "Hello world");
  EXPECT_THAT(scripts.talk().history(),
              ElementsAre(Unfinished("one", "Hello world", TurnEnding::kFailed)));
  EXPECT_EQ(scripts.talk().model(), "m");
}

// The blob is named by no field that we know.
TEST(Conversation, SavesAllThatTheServiceHasStored) {
  const std::string id = absl::BytesToHexString(MemoryBlobStore().Put("of turn one"));
  Scripts scripts(
      {Script().SetBlob("of turn one").Text("a").TurnEnded().CheckpointBytes("\x50\x01"),
       Script().Text("b").TurnEnded().CheckpointBytes("\x50\x02"),
       Script()
           .GetBlob(id)
           .Expect(R"({"blob_data": {"$text": "of turn one"}})")
           .Text("c")
           .TurnEnded()});
  ASSERT_THAT(scripts.Ask({.prompt = "one"}).status, IsOk());
  const SavedConversation saved = scripts.talk().Serialize();
  EXPECT_THAT(saved.blobs, ElementsAre("of turn one"));
  absl::StatusOr<Conversation> second = Conversation::Deserialize(scripts.client(), saved);
  ASSERT_THAT(second, IsOk());
  ASSERT_THAT(ReadAll(second->Chat({.prompt = "two"})).status, IsOk());
  absl::StatusOr<Conversation> third =
      Conversation::Deserialize(scripts.client(), second->Serialize());
  ASSERT_THAT(third, IsOk());
  EXPECT_EQ(ReadAll(third->Chat({.prompt = "three"})).text, "c");
}

// Also while a turn goes on, and whatever becomes of it.
TEST(Conversation, TellsHowMuchItHolds) {
  const std::string blob(1000, 'b');
  Scripts scripts({Script().SetBlob(blob).Text("a").TurnEnded().CheckpointBytes("\x50\x01"),
                   Script().SetBlob(blob + "2").Error("invalid_argument", "no")});
  EXPECT_EQ(scripts.talk().bytes().total(), 0U);
  ASSERT_THAT(scripts.Ask({.prompt = "one"}).status, IsOk());
  const ConversationBytes first = scripts.talk().bytes();
  EXPECT_GE(first.history, 4U);
  EXPECT_LT(first.history, 1000U);
  EXPECT_EQ(first.state, 2U);
  EXPECT_EQ(first.blobs, 1000U + 256);
  absl::StatusOr<Conversation> second =
      Conversation::Deserialize(scripts.client(), scripts.talk().Serialize());
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(second->bytes().total(), first.total());
  scripts.Ask({.prompt = "two"});
  EXPECT_EQ(scripts.talk().bytes().blobs, first.blobs + 1001 + 256);
  ASSERT_THAT(scripts.talk().SetHistory({}), IsOk());
  EXPECT_EQ(scripts.talk().bytes().history, 0U);
}

// Saving is no use: when there is no more room, those make room that the service used least
// recently.
TEST(Conversation, SavesBlobsInTheOrderOfTheirUseEachTime) {
  const std::string first = MemoryBlobStore().Put("b1");
  Scripts scripts({Script().SetBlob("b1").SetBlob("b2").SetBlob("b3").Text("a").TurnEnded(),
                   Script()
                       .GetBlob(absl::BytesToHexString(first))
                       .Expect(R"({"blob_data": {"$text": "b1"}})")
                       .Text("b")
                       .TurnEnded()});
  ASSERT_THAT(scripts.Ask({.prompt = "one"}).status, IsOk());
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(scripts.talk().Serialize().blobs, ElementsAre("b1", "b2", "b3"));
  }
  ASSERT_THAT(scripts.Ask({.prompt = "two"}).status, IsOk());
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(scripts.talk().Serialize().blobs, ElementsAre("b2", "b3", "b1"));
  }
}

// The service completes it although it was given up: that comes too late.
TEST(Conversation, TakesNothingOfATurnThatWasGivenUp) {
  Scripts scripts({Script().Text("a").TurnEnded().CheckpointBytes("\x50\x01"),
                   Script().Text("x").ExpectCancel().TurnEnded().CheckpointBytes("\x50\x02"),
                   Script()
                       .ExpectRequest(R"({"conversation_state": {"$hex": "5001"}})")
                       .Text("b")
                       .TurnEnded()});
  ASSERT_THAT(scripts.Ask({.prompt = "one"}).status, IsOk());
  {
    ChatStream given_up = scripts.talk().Chat({.prompt = "two"});
    ASSERT_TRUE(given_up.Next().has_value());
  }
  ASSERT_TRUE(scripts.upstream().WaitForRuns(2, kPatience));
  EXPECT_EQ(scripts.Ask({.prompt = "three"}).text, "b");
  EXPECT_THAT(scripts.talk().history(), ElementsAre(TurnOf("one", "a"), TurnOf("three", "b")));
}

// Neither the state nor the id is given up before a turn has taken their place.
TEST(Conversation, KeepsItsStateWhereATurnWithoutItFails) {
  Scripts scripts(
      {Script().Text("a").TurnEnded().CheckpointBytes("\x50\x01"),
       Script().Error("invalid_argument", "no"),
       Script()
           .ExpectRequest(R"({"conversation_state": {"$as": {"ConversationStateStructure":
                           {"mode": "AGENT_MODE_AGENT", "turns": {"$size": 0}}}}})")
           .Text("b")
           .TurnEnded()});
  ASSERT_THAT(scripts.Ask({.prompt = "one", .system = "Be brief."}).status, IsOk());
  const std::string id = scripts.talk().id();
  EXPECT_THAT(scripts.Ask({.prompt = "two"}).rebuilt, Optional(RebuildReason::kRulesRemoved));
  EXPECT_EQ(scripts.talk().id(), id);
  EXPECT_EQ(scripts.Ask({.prompt = "three", .system = "Be brief."}).rebuilt, std::nullopt);
  EXPECT_EQ(scripts.talk().id(), id);
}

TEST(Conversation, KeepsItsIdWhereATurnThatIsToldAgainFails) {
  ToolRegistry tools;
  tools.Add({.name = "look"}, [](const ToolCall&) { return ToolResult::Text("r"); });
  Scripts scripts(
      {Script().Text("a").TurnEnded().CheckpointBytes("\x50\x01"),
       Script().CallTool("look").ExpectToolResult().Drop(),
       Script().Error("invalid_argument", "no"),
       Script().ExpectRequest(R"({"conversation_state": {"$hex": "5001"}})").Text("b").TurnEnded()},
      {.unfinished_turns = UnfinishedTurns::kForget});
  ASSERT_THAT(scripts.Ask({.prompt = "one"}).status, IsOk());
  const std::string id = scripts.talk().id();
  EXPECT_THAT(scripts.Ask({.prompt = "two", .tools = tools}).retries,
              ElementsAre(RetryKind::kContinue));
  EXPECT_EQ(scripts.talk().id(), id);
  EXPECT_EQ(scripts.Ask({.prompt = "three"}).text, "b");
}

// docs/protocol.md, traps, 11.
TEST(Conversation, KeepsItsBlobsInAStoreThatOthersFill) {
  const auto blobs = std::make_shared<MemoryBlobStore>(BlobLimits{.total_bytes = 20'000});
  MemoryBlobStore hash;
  const std::string id = hash.Put("needed");
  const std::string hex = absl::BytesToHexString(id);
  std::optional<Scripts> scripts(
      std::in_place,
      std::vector<Script>{
          Script().SetBlob("needed").Text("a").TurnEnded().CheckpointBytes("\x0A\x20" + id)},
      ConversationOptions{.blobs = blobs});
  ASSERT_THAT(scripts->Ask({.prompt = "one"}).status, IsOk());
  const auto fill = [&](char c) {
    Script script;
    for (int i = 0; i < 30; ++i) script.SetBlob(std::string(1000, c) + std::to_string(i));
    Scripts others({script.TurnEnded()}, {.blobs = blobs});
    EXPECT_THAT(others.Ask({.prompt = "p"}).status, IsOk());
  };
  fill('x');
  EXPECT_TRUE(blobs->Contains(id));
  // A conversation that is gone needs nothing.
  scripts.reset();
  fill('y');
  EXPECT_FALSE(blobs->Contains(id));
}

TEST(Conversation, BeginsAnewInAForkOfNothing) {
  Scripts scripts({Script().Text("a").TurnEnded()});
  ASSERT_THAT(scripts.Ask({.prompt = "one"}).status, IsOk());
  Conversation fork = scripts.talk().Fork(0);
  EXPECT_EQ(ReadAll(fork.Chat({.prompt = "two"})).rebuilt, std::nullopt);
}

TEST(Conversation, DropsAStateThatDoesNotParseAndSaysSo) {
  Scripts scripts({Script().Text("a").TurnEnded().CheckpointBytes("\x0A\x7F"),
                   Script()
                       .ExpectRequest(R"({"conversation_state": {"$as":
                           {"ConversationStateStructure": {"turns": {"$size": 1}}}}})")
                       .Text("b")
                       .TurnEnded()});
  ASSERT_THAT(scripts.Ask({.prompt = "one"}).status, IsOk());
  const std::string id = scripts.talk().id();
  const ChatOutcome second = scripts.Ask({.prompt = "two"});
  EXPECT_THAT(second.rebuilt, Optional(RebuildReason::kStateDamaged));
  EXPECT_EQ(second.text, "b");
  EXPECT_NE(scripts.talk().id(), id);
}

// docs/protocol.md, traps, 4.
TEST(Conversation, TellsTheHistoryWhereTheServiceHasLostABlob) {
  const std::string lost(64, '0');
  Scripts scripts(
      {Script().Text("a").TurnEnded().CheckpointBytes("\x50\x01"),
       // It goes on without a word.
       Script().GetBlob(lost).Expect(R"("miss")").Text("b").TurnEnded().CheckpointBytes("\x50\x02"),
       Script()
           .ExpectRequest(R"({"conversation_state": {"$as":
                           {"ConversationStateStructure": {"turns": {"$size": 2}}}}})")
           .Text("c")
           .TurnEnded()});
  ASSERT_THAT(scripts.Ask({.prompt = "one"}).status, IsOk());
  EXPECT_TRUE(scripts.Ask({.prompt = "two"}).state_lost);
  const ChatOutcome third = scripts.Ask({.prompt = "three"});
  EXPECT_THAT(third.rebuilt, Optional(RebuildReason::kStateLost));
  EXPECT_EQ(third.text, "c");
}

TEST(Conversation, SharesABlobStore) {
  const auto blobs = std::make_shared<MemoryBlobStore>();
  Scripts scripts({Script().SetBlob("kept").Text("a").TurnEnded()}, {.blobs = blobs});
  ASSERT_THAT(scripts.Ask({.prompt = "one"}).status, IsOk());
  EXPECT_TRUE(blobs->Contains(blobs->Put("kept")));
}

}  // namespace
}  // namespace cursorwire::test
