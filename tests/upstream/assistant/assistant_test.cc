#include "upstream/assistant/assistant.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "agent/run/known_ids.h"
#include "agent/v1/conversation.pb.h"
#include "agent/v1/run.pb.h"
#include "base/sha256.h"
#include "cursorwire/run.h"
#include "support/proto_text.h"
#include "support/status_matchers.h"
#include "upstream/assistant/assistant_client.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;
using connect::TimePoint;
using std::chrono::milliseconds;
using test::IsOk;
using test::KnownIds;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;
using ::testing::StartsWith;

// --- a whole turn

TEST(Assistant, PlaysATurnInTheOrderOfTheService) {
  Client client;
  ASSERT_THAT(client.Send(FirstMessage("Say hi.")), IsOk());
  EXPECT_THAT(client.Kinds(), ElementsAre("get_blob 0", "request_context"));
  EXPECT_FALSE(client.assistant().done());
  ASSERT_THAT(client.AnswerAll(), IsOk());
  // docs/protocol.md, end of a run.
  EXPECT_THAT(client.Kinds(),
              ElementsAre("get_blob 0", "request_context", "step_started", "thinking_delta",
                          "thinking_delta", "thinking_completed", "words", "step_completed",
                          "set_blob 1", "set_blob 2", "set_blob 3", "set_blob 4", "set_blob 5",
                          "turn_ended", "heartbeat", "checkpoint", "checkpoint", "checkpoint"));
  EXPECT_TRUE(client.assistant().done());
  EXPECT_THAT(client.assistant().end_status(), IsOk());
  EXPECT_THAT(client.NextDeadline(), Eq(std::nullopt));
}

TEST(Assistant, WaitsForAllBlobsToBeStoredBeforeItEndsTheTurn) {
  Client client;
  ASSERT_THAT(client.Send(FirstMessage("p", {})), IsOk());
  ASSERT_THAT(client.Send("exec_client_message { id: 1 request_context_result { success {} } }"),
              IsOk());
  ASSERT_THAT(client.Send("exec_client_control_message { stream_close { id: 1 } }"), IsOk());
  EXPECT_EQ(client.Kinds().back(), "set_blob 4");
  for (const char* answer : {"kv_client_message { id: 4 set_blob_result {} }",
                             "kv_client_message { id: 0 set_blob_result {} }",
                             "kv_client_message { id: 2 set_blob_result {} }",
                             "kv_client_message { id: 1 set_blob_result {} }"}) {
    ASSERT_THAT(client.Send(answer), IsOk());
    EXPECT_FALSE(client.assistant().done());
  }
  ASSERT_THAT(client.Send("kv_client_message { id: 3 set_blob_result {} }"), IsOk());
  EXPECT_EQ(client.Kinds().back(), "checkpoint");
  EXPECT_TRUE(client.assistant().done());
}

TEST(Assistant, EndsWithATransitionalAndTheFinalCheckpointTwice) {
  Client client;
  const pb::AgentClientMessage request = FirstMessage("one two");
  ASSERT_THAT(client.Send(request), IsOk());
  ASSERT_THAT(client.AnswerAll(), IsOk());
  std::vector<std::string> checkpoints;
  for (const pb::AgentServerMessage& message : client.messages()) {
    if (message.has_conversation_checkpoint_update()) {
      checkpoints.push_back(message.conversation_checkpoint_update());
    }
  }
  ASSERT_EQ(checkpoints.size(), 3u);
  EXPECT_EQ(checkpoints[1], checkpoints[2]);
  pb::ConversationStateStructure transitional;
  pb::ConversationStateStructure last;
  ASSERT_TRUE(transitional.ParseFromString(checkpoints[0]));
  ASSERT_TRUE(last.ParseFromString(checkpoints[2]));
  EXPECT_EQ(transitional.pending_tool_calls_size(), 1);
  EXPECT_EQ(last.pending_tool_calls_size(), 0);
  // What was stored at the client just before: the messages of the prompt, and the turn.
  std::map<std::string, std::string> stored;
  for (const pb::AgentServerMessage& message : client.messages()) {
    const pb::SetBlobArgs& args = message.kv_server_message().set_blob_args();
    if (!args.blob_id().empty()) stored[args.blob_id()] = args.blob_data();
  }
  ASSERT_EQ(last.root_prompt_messages_json_size(), 3);
  EXPECT_EQ(last.root_prompt_messages_json(0), Sha256(kSystemBlob));
  EXPECT_THAT(stored[last.root_prompt_messages_json(1)],
              AllOf(HasSubstr(R"("role":"user")"), HasSubstr("<user_query>\\none two\\n")));
  EXPECT_THAT(stored[last.root_prompt_messages_json(2)], HasSubstr(R"("role":"assistant")"));
  ASSERT_EQ(last.turns_size(), 1);
  pb::ConversationTurnStructure turn;
  ASSERT_TRUE(turn.ParseFromString(stored[last.turns(0)]));
  const pb::AgentConversationTurnStructure& agent_turn = turn.agent_conversation_turn();
  EXPECT_EQ(
      stored[agent_turn.user_message()],
      request.run_request().action().user_message_action().user_message().SerializeAsString());
  pb::ConversationStep step;
  ASSERT_EQ(agent_turn.steps_size(), 1);
  ASSERT_TRUE(step.ParseFromString(stored[agent_turn.steps(0)]));
  EXPECT_EQ(step.assistant_message().text(), client.Text());
  EXPECT_EQ(last.token_details().used_tokens(), 2 + client.CountOf("text_delta"));
}

TEST(Assistant, TellsTheUsageOfTheTurn) {
  Client client;
  ASSERT_THAT(client.Send(FirstMessage("one two  three\n")), IsOk());
  ASSERT_THAT(client.AnswerAll(), IsOk());
  for (const pb::AgentServerMessage& message : client.messages()) {
    if (Kind(message) != "turn_ended") continue;
    const pb::TurnEndedUpdate& ended = message.interaction_update().turn_ended();
    EXPECT_EQ(ended.input_tokens(), 3);
    EXPECT_EQ(static_cast<size_t>(ended.output_tokens()), client.CountOf("text_delta"));
    EXPECT_TRUE(ended.has_cache_read_tokens());
    EXPECT_TRUE(ended.has_cache_write_tokens());
    EXPECT_FALSE(ended.has_reasoning_tokens());
  }
  EXPECT_EQ(client.CountOf("turn_ended"), 1u);
  EXPECT_EQ(client.CountOf("token_delta"), client.CountOf("text_delta"));
}

TEST(Assistant, TakesTheAnswersInAnyOrder) {
  Client client;
  ASSERT_THAT(client.Send(FirstMessage("p", {"a", "b"})), IsOk());
  EXPECT_THAT(client.Kinds(), ElementsAre("get_blob 0", "get_blob 1", "request_context"));
  EXPECT_THAT(client.Send("exec_client_message { id: 1 request_context_result { success {} } }"),
              IsOk());
  EXPECT_THAT(client.Send("kv_client_message { id: 1 get_blob_result { blob_data: \"b\" } }"),
              IsOk());
  EXPECT_THAT(client.Send("client_heartbeat {}"), IsOk());
  EXPECT_THAT(client.Send("exec_client_control_message { stream_close { id: 1 } }"), IsOk());
  EXPECT_EQ(client.CountOf("step_started"), 0u);
  EXPECT_THAT(client.Send("kv_client_message { id: 0 get_blob_result { blob_data: \"a\" } }"),
              IsOk());
  EXPECT_EQ(client.CountOf("step_started"), 1u);
  EXPECT_EQ(client.Kinds().back(), "set_blob 6");
}

TEST(Assistant, ServesARunOfTheLibrary) {
  KnownIds ids;
  cursorwire::Run run({.prompt = "Say \"hi\".", .system = "Be brief."}, {.token = "t"}, ids,
                      TimePoint());
  Assistant assistant(milliseconds(0));
  std::string text;
  std::vector<std::string> checkpoints;
  bool turn_ended = false;
  while (!run.finished()) {
    bool moved = false;
    while (std::optional<RunOutput> output = run.PollOutput()) {
      ASSERT_TRUE(std::holds_alternative<SendMessage>(*output));
      pb::AgentClientMessage message;
      ASSERT_TRUE(message.ParseFromString(std::get<SendMessage>(*output).message));
      ASSERT_THAT(assistant.On(message, TimePoint()), IsOk());
      moved = true;
    }
    while (std::optional<pb::AgentServerMessage> message = assistant.PollMessage()) {
      const std::string bytes = message->SerializeAsString();
      run.On(connect::CallEvent(connect::MessageView{bytes, 0}), TimePoint());
      moved = true;
    }
    if (!moved) {
      ASSERT_TRUE(assistant.done());
      run.On(connect::CallEvent(connect::CallEnd{assistant.end_status(), {}}), TimePoint());
    }
    while (std::optional<absl::StatusOr<ChatEvent>> event = run.PollEvent()) {
      ASSERT_THAT(*event, IsOk());
      if (const auto* delta = (*event)->As<TextDelta>()) text += delta->text;
      if (const auto* state = (*event)->As<Checkpoint>()) checkpoints.push_back(state->state);
      turn_ended = turn_ended || (*event)->As<TurnEnded>() != nullptr;
    }
  }
  EXPECT_THAT(text, AllOf(StartsWith("You said: \"Say \"hi\".\"\n"), HasSubstr("Be brief."),
                          HasSubstr("2 prompt blobs")));
  EXPECT_TRUE(turn_ended);
  EXPECT_EQ(checkpoints.size(), 3u);
}

// --- the answer

TEST(Assistant, MakesTheAnswerFromThePrompt) {
  struct Case {
    const char* prompt;
    const char* expected;
  };
  const Case cases[] = {
      {"hi", "That is 1 word in 2 bytes for the model \"default\"."},
      {"x", "That is 1 word in 1 byte "},
      {"one two\tthree\nfour", "That is 4 words in 18 bytes "},
      {"  spaced  out  ", "That is 2 words in 15 bytes "},
      {"Gr\u00FC\u00DFe \u2603", "That is 2 words in 11 bytes "},
      {" ", "That is 0 words in 1 byte "},
      {"\n\n", "That is 0 words in 2 bytes "},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.prompt);
    const std::string answer = AnswerTo(c.prompt, {kSystemBlob});
    // Cut into words and joined again, it is quoted as it was.
    EXPECT_THAT(answer, StartsWith(absl::StrCat("You said: \"", c.prompt, "\"\n")));
    EXPECT_THAT(answer, HasSubstr(c.expected));
  }
}

TEST(Assistant, MakesTheAnswerFromTheBlobsThatItFetched) {
  struct Case {
    const char* name;
    std::vector<std::string> blobs;
    const char* expected;
    const char* absent;
  };
  const Case cases[] = {
      {"none", {}, "0 prompt blobs of 0 bytes", "rules"},
      {"system", {kSystemBlob}, "1 prompt blob of 47 bytes", "rules"},
      {"rules", {kSystemBlob, RulesBlob("Be brief.")}, "Your rules are: Be brief.\n", "long"},
      {"other rules", {RulesBlob("Be long.")}, "Your rules are: Be long.\n", "brief"},
      {"no JSON", {"blob"}, "1 prompt blob of 4 bytes", "rules"},
      {"JSON of another shape", {R"({"role":"user","content":"x"})"}, "1 prompt blob of", "rules"},
      {"no object", {"[1]"}, "1 prompt blob of 3 bytes", "rules"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(AnswerTo("p", c.blobs), AllOf(HasSubstr(c.expected), Not(HasSubstr(c.absent))));
  }
}

TEST(Assistant, NamesTheModelThatWasAskedFor) {
  Client client;
  pb::AgentClientMessage request = FirstMessage("p");
  request.mutable_run_request()->mutable_requested_model()->set_model_id("model-x");
  ASSERT_THAT(client.Send(request), IsOk());
  ASSERT_THAT(client.AnswerAll(), IsOk());
  EXPECT_THAT(client.Text(), HasSubstr("for the model \"model-x\"."));
}

TEST(Assistant, AllowsHeartbeatsOfWhatIsWorkedOn) {
  Client client;
  ASSERT_THAT(client.Send(FirstMessage("p", {"a"})), IsOk());
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(client.Send("exec_client_control_message { heartbeat { id: 1 } }"), IsOk());
    EXPECT_THAT(client.Send("client_heartbeat {}"), IsOk());
  }
}

// --- cancel

TEST(Assistant, StopsWhenItIsCancelled) {
  Client client(milliseconds(20));
  ASSERT_THAT(client.Send(FirstMessage("a long prompt")), IsOk());
  ASSERT_THAT(client.AnswerAll(), IsOk());
  client.OnDeadlineAt(milliseconds(20));
  const size_t before = client.messages().size();
  EXPECT_THAT(client.Send("conversation_action { cancel_action {} }"), IsOk());
  EXPECT_TRUE(client.assistant().done());
  EXPECT_THAT(client.assistant().end_status(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(client.NextDeadline(), Eq(std::nullopt));
  client.OnDeadlineAt(milliseconds(1000));
  // What crosses the end on its way is no violation.
  EXPECT_THAT(client.Send("client_heartbeat {}"), IsOk());
  EXPECT_THAT(client.Send("kv_client_message { id: 9 get_blob_result {} }"), IsOk());
  EXPECT_EQ(client.messages().size(), before);
}

TEST(Assistant, StopsWhenItIsCancelledBeforeItAnswers) {
  Client client;
  ASSERT_THAT(client.Send(FirstMessage("p")), IsOk());
  EXPECT_THAT(client.Send("conversation_action { cancel_action {} }"), IsOk());
  EXPECT_TRUE(client.assistant().done());
  EXPECT_THAT(client.assistant().end_status(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(client.AnswerAll(), IsOk());
  EXPECT_THAT(client.Kinds(), ElementsAre("get_blob 0", "request_context"));
}

// --- the interval

TEST(Assistant, SaysOneWordEachInterval) {
  Client client(milliseconds(20));
  EXPECT_THAT(client.NextDeadline(), Eq(std::nullopt));
  ASSERT_THAT(client.Send(FirstMessage("one two three")), IsOk());
  EXPECT_THAT(client.NextDeadline(), Eq(std::nullopt));
  ASSERT_THAT(client.AnswerAll(), IsOk());
  EXPECT_EQ(client.Text(), "You");
  EXPECT_THAT(client.NextDeadline(), Optional(milliseconds(20)));
  client.OnDeadlineAt(milliseconds(19));
  EXPECT_EQ(client.Text(), "You");
  client.OnDeadlineAt(milliseconds(20));
  EXPECT_EQ(client.Text(), "You said:");
  client.OnDeadlineAt(milliseconds(20));
  EXPECT_EQ(client.Text(), "You said:");
  EXPECT_THAT(client.NextDeadline(), Optional(milliseconds(40)));
  // A late one is not made up for.
  client.OnDeadlineAt(milliseconds(100));
  EXPECT_EQ(client.Text(), "You said: \"one");
  EXPECT_THAT(client.NextDeadline(), Optional(milliseconds(120)));
}

TEST(Assistant, SaysTheSameWithAndWithoutAnInterval) {
  Client slow(milliseconds(20));
  ASSERT_THAT(slow.Send(FirstMessage("p")), IsOk());
  ASSERT_THAT(slow.AnswerAll(), IsOk());
  while (const std::optional<milliseconds> next = slow.NextDeadline()) slow.OnDeadlineAt(*next);
  EXPECT_EQ(slow.Kinds().back(), "set_blob 5");
  ASSERT_THAT(slow.AnswerAll(), IsOk());
  EXPECT_TRUE(slow.assistant().done());

  Client fast;
  ASSERT_THAT(fast.Send(FirstMessage("p")), IsOk());
  ASSERT_THAT(fast.AnswerAll(), IsOk());
  EXPECT_EQ(slow.Text(), fast.Text());
  EXPECT_THAT(slow.Kinds(), ElementsAreArray(fast.Kinds()));
}

}  // namespace
}  // namespace cursorwire::upstream
