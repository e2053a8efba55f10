#include "upstream/assistant/assistant.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "agent/run/known_ids.h"
#include "agent/run/prompt_message.h"
#include "agent/run/sha256.h"
#include "agent/v1/conversation.pb.h"
#include "agent/v1/run.pb.h"
#include "cursorwire/blob_store.h"
#include "cursorwire/run.h"
#include "support/proto_text.h"
#include "support/status_matchers.h"
#include "upstream/assistant/definition.h"
#include "upstream/assistant/question.h"
#include "upstream/assistant/transcript.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

using agent::Sha256;
using connect::TimePoint;
using std::chrono::milliseconds;
using test::FromText;
using test::IsOk;
using test::KnownIds;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;
using ::testing::StartsWith;

constexpr char kSystemBlob[] = R"({"role":"system","content":"You are an agent."})";

std::string RulesBlob(const std::string& rules) {
  return R"({"role":"user","content":[{"type":"text","text":")" + rules + R"("}]})";
}

// A run request that is as it should be, with these blobs.
pb::AgentClientMessage RunRequest(const std::string& prompt,
                                  const std::vector<std::string>& blobs = {kSystemBlob}) {
  pb::AgentClientMessage message;
  pb::AgentRunRequest& request = *message.mutable_run_request();
  pb::ConversationStateStructure state;
  for (const std::string& blob : blobs) state.add_root_prompt_messages_json(Sha256(blob));
  state.set_mode(pb::AGENT_MODE_AGENT);
  request.set_conversation_state(state.SerializeAsString());
  request.set_conversation_id("c");
  request.mutable_requested_model()->set_model_id("default");
  pb::UserMessage& user =
      *request.mutable_action()->mutable_user_message_action()->mutable_user_message();
  user.set_text(prompt);
  user.set_message_id("m");
  return message;
}

// The kind of a message, with the id that its answer must have.
std::string Kind(const pb::AgentServerMessage& message) {
  if (message.has_kv_server_message()) {
    const pb::KvServerMessage& kv = message.kv_server_message();
    return absl::StrCat(kv.has_get_blob_args() ? "get_blob " : "set_blob ", kv.id());
  }
  if (message.has_exec_server_message()) {
    return message.exec_server_message().has_request_context_args() ? "request_context" : "exec";
  }
  if (message.has_conversation_checkpoint_update()) return "checkpoint";
  const pb::InteractionUpdate& update = message.interaction_update();
  const google::protobuf::FieldDescriptor* field = update.GetReflection()->GetOneofFieldDescriptor(
      update, pb::InteractionUpdate::descriptor()->FindOneofByName("message"));
  return field == nullptr ? "nothing" : field->name();
}

// A client of the Assistant: keeps what it said, and answers as a client must.
class Client {
 public:
  // What becomes of execs, the request context aside.
  enum class Execs { kAnswer, kLeave };

  explicit Client(milliseconds word_interval = milliseconds(0), Execs execs = Execs::kAnswer)
      : assistant_(word_interval), execs_(execs) {}

  Assistant& assistant() { return assistant_; }
  TimePoint now() const { return now_; }
  void AddBlob(const std::string& blob) { blobs_[Sha256(blob)] = blob; }

  // Sends one message, and takes what comes of it.
  absl::Status Send(const pb::AgentClientMessage& message) {
    const absl::Status status = assistant_.On(message, now_);
    Take();
    return status;
  }
  absl::Status Send(const char* text) { return Send(FromText<pb::AgentClientMessage>(text)); }
  // Answers all that was asked and not answered, and what is asked then.
  absl::Status AnswerAll() {
    for (; answered_ < messages_.size(); ++answered_) {
      for (const pb::AgentClientMessage& answer : Answers(messages_[answered_])) {
        if (absl::Status status = Send(answer); !status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }
  void OnDeadlineAt(milliseconds since_start) {
    now_ = TimePoint() + since_start;
    assistant_.OnDeadline(now_);
    Take();
  }
  std::optional<milliseconds> NextDeadline() const {
    const std::optional<TimePoint> next = assistant_.NextDeadline();
    if (!next) return std::nullopt;
    return std::chrono::duration_cast<milliseconds>(*next - TimePoint());
  }

  const std::vector<pb::AgentServerMessage>& messages() const { return messages_; }
  // Their kinds; rows of words count as one.
  std::vector<std::string> Kinds() const {
    std::vector<std::string> kinds;
    for (const pb::AgentServerMessage& message : messages_) {
      std::string kind = Kind(message);
      const bool word = kind == "text_delta" || kind == "token_delta";
      if (word) kind = "words";
      if (!word || kinds.empty() || kinds.back() != kind) kinds.push_back(std::move(kind));
    }
    return kinds;
  }
  std::string Text() const {
    std::string text;
    for (const pb::AgentServerMessage& message : messages_) {
      text += message.interaction_update().text_delta().text();
    }
    return text;
  }
  size_t CountOf(const std::string& kind) const {
    size_t count = 0;
    for (const pb::AgentServerMessage& message : messages_) count += Kind(message) == kind;
    return count;
  }

 private:
  void Take() {
    while (std::optional<pb::AgentServerMessage> message = assistant_.PollMessage()) {
      messages_.push_back(*std::move(message));
    }
  }

  std::vector<pb::AgentClientMessage> Answers(const pb::AgentServerMessage& message) {
    std::vector<pb::AgentClientMessage> answers;
    if (message.has_kv_server_message()) {
      const pb::KvServerMessage& kv = message.kv_server_message();
      pb::KvClientMessage& answer = *answers.emplace_back().mutable_kv_client_message();
      answer.set_id(kv.id());
      if (kv.has_set_blob_args()) {
        EXPECT_EQ(Sha256(kv.set_blob_args().blob_data()), kv.set_blob_args().blob_id());
        answer.mutable_set_blob_result();
      } else {
        const auto blob = blobs_.find(kv.get_blob_args().blob_id());
        pb::GetBlobResult& result = *answer.mutable_get_blob_result();
        if (blob != blobs_.end()) result.set_blob_data(blob->second);
      }
    } else if (message.has_exec_server_message() &&
               (execs_ == Execs::kAnswer ||
                message.exec_server_message().has_request_context_args())) {
      const uint32_t id = message.exec_server_message().id();
      pb::ExecClientMessage& result = *answers.emplace_back().mutable_exec_client_message();
      result.set_id(id);
      result.mutable_request_context_result()->mutable_success()->mutable_request_context();
      answers.emplace_back().mutable_exec_client_control_message()->mutable_stream_close()->set_id(
          id);
    }
    return answers;
  }

  Assistant assistant_;
  const Execs execs_;
  TimePoint now_;
  std::map<std::string, std::string> blobs_ = {{Sha256(kSystemBlob), kSystemBlob}};
  std::vector<pb::AgentServerMessage> messages_;
  size_t answered_ = 0;
};

std::string AnswerTo(const std::string& prompt, const std::vector<std::string>& blobs) {
  Client client;
  for (const std::string& blob : blobs) client.AddBlob(blob);
  EXPECT_THAT(client.Send(RunRequest(prompt, blobs)), IsOk());
  EXPECT_THAT(client.AnswerAll(), IsOk());
  EXPECT_TRUE(client.assistant().done());
  EXPECT_THAT(client.assistant().end_status(), IsOk());
  return client.Text();
}

// --- a whole turn

TEST(Assistant, PlaysATurnInTheOrderOfTheService) {
  Client client;
  ASSERT_THAT(client.Send(RunRequest("Say hi.")), IsOk());
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
  ASSERT_THAT(client.Send(RunRequest("p", {})), IsOk());
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
  const pb::AgentClientMessage request = RunRequest("one two");
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
  ASSERT_THAT(client.Send(RunRequest("one two  three\n")), IsOk());
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
  ASSERT_THAT(client.Send(RunRequest("p", {"a", "b"})), IsOk());
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
  pb::AgentClientMessage request = RunRequest("p");
  request.mutable_run_request()->mutable_requested_model()->set_model_id("model-x");
  ASSERT_THAT(client.Send(request), IsOk());
  ASSERT_THAT(client.AnswerAll(), IsOk());
  EXPECT_THAT(client.Text(), HasSubstr("for the model \"model-x\"."));
}

// --- looking

// A client of the assistant that shows a folder: answers each exec with the next of `results`.
class Shown {
 public:
  Shown(const std::string& prompt, std::vector<const char*> results) {
    EXPECT_THAT(client_.Send(RunRequest(prompt)), IsOk());
    EXPECT_THAT(client_.AnswerAll(), IsOk());
    for (const char* text : results) {
      const pb::ExecServerMessage exec = client_.messages().back().exec_server_message();
      execs_.push_back(exec);
      auto result = FromText<pb::ExecClientMessage>(text);
      result.set_id(exec.id());
      pb::AgentClientMessage message;
      *message.mutable_exec_client_message() = result;
      EXPECT_THAT(client_.Send(message), IsOk());
      message.mutable_exec_client_control_message()->mutable_stream_close()->set_id(exec.id());
      EXPECT_THAT(client_.Send(message), IsOk());
    }
    // What follows are the blobs of the turn.
    EXPECT_THAT(client_.AnswerAll(), IsOk());
    EXPECT_TRUE(client_.assistant().done());
    EXPECT_THAT(client_.assistant().end_status(), IsOk());
  }

  std::string text() const { return client_.Text(); }
  const std::vector<pb::ExecServerMessage>& execs() const { return execs_; }

 private:
  Client client_{milliseconds(0), Client::Execs::kLeave};
  std::vector<pb::ExecServerMessage> execs_;
};

TEST(Assistant, NamesWhatIsInTheFolder) {
  const Shown shown("what is in this folder?", {R"(ls_result { success { directory_tree_root {
      abs_path: "/w" children_were_processed: true
      children_dirs { abs_path: "/w/src" num_files: 1 }
      children_files { name: "a.txt" } children_files { name: "b.txt" } } } })"});
  ASSERT_EQ(shown.execs().size(), 1u);
  EXPECT_EQ(shown.execs()[0].ls_args().path(), ".");
  EXPECT_EQ(shown.text(), "/w holds 1 folder and 2 files:\n- src/ (1 file)\n- a.txt\n- b.txt\n");
}

TEST(Assistant, LooksInTheWorkspaceOfTheClient) {
  Client client(milliseconds(0), Client::Execs::kLeave);
  ASSERT_THAT(client.Send(RunRequest("list the files", {})), IsOk());
  ASSERT_THAT(client.Send(R"(exec_client_message { id: 1 request_context_result { success {
      request_context { env { workspace_paths: "/home/u/w" } } } } })"),
              IsOk());
  ASSERT_THAT(client.Send("exec_client_control_message { stream_close { id: 1 } }"), IsOk());
  EXPECT_EQ(client.messages().back().exec_server_message().id(), 2u);
  EXPECT_EQ(client.messages().back().exec_server_message().ls_args().path(), "/home/u/w");
}

TEST(Assistant, FindsADefinitionAndCitesItsLines) {
  const Shown shown(
      "Where is `Foo::Bar` defined?",
      {R"(grep_result { success { workspace_results { key: "/w" value { content {
          matches { file: "src/foo.h" matches { line_number: 12 content: "class Bar {" } }
          matches { file: "z.h" matches { line_number: 1 content: "class Bar;" } } } } } } })",
       R"(read_result { success { path: "/w/src/foo.h" content: "class Bar {\n  int x;\n"
                                range_applied: true } })"});
  ASSERT_EQ(shown.execs().size(), 2u);
  EXPECT_THAT(shown.execs()[0].grep_args().pattern(), HasSubstr("class|struct"));
  EXPECT_EQ(shown.execs()[1].read_args().path(), "src/foo.h");
  EXPECT_EQ(shown.execs()[1].read_args().offset(), 12);
  EXPECT_EQ(shown.text(),
            "I found what looks like the definition of Foo::Bar:\n"
            "- src/foo.h:12: class Bar {\n- z.h:1: class Bar;\n"
            "From line 12 of src/foo.h:\n12: class Bar {\n13:   int x;\n");
}

TEST(Assistant, FindsMentionsWhereThereIsNoDefinition) {
  constexpr char kNothing[] =
      R"(grep_result { success { workspace_results { key: "/w" value { content {} } } } })";
  const Shown mentioned(
      "where is x used?",
      {kNothing, R"(grep_result { success { workspace_results { key: "/w" value { content {
          matches { file: "a" matches { line_number: 1 content: "x" } } } } } } })",
       R"(read_result { file_not_found { path: "a" } })"});
  EXPECT_EQ(mentioned.execs()[1].grep_args().pattern(), "\\bx\\b");
  EXPECT_THAT(mentioned.text(),
              AllOf(HasSubstr("mentions of x:\n- a:1: x"), HasSubstr("There is no file a.")));
  EXPECT_EQ(Shown("where is x used?", {kNothing, kNothing}).text(), "Nothing in . mentions x.\n");
}

TEST(Assistant, SearchesForNamesThatAreNoWords) {
  constexpr char kNothing[] =
      R"(grep_result { success { workspace_results { key: "/w" value { content {} } } } })";
  struct Case {
    const char* prompt;
    const char* pattern;
  };
  constexpr Case kCases[] = {
      {"where is ~Foo used?", "~Foo\\b"},
      {"where is operator== used?", "\\boperator=="},
      {"where is C++ used?", "\\bC\\+\\+"},
      {"where is \u00C4pfel used?", "\u00C4pfel\\b"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.prompt);
    EXPECT_EQ(Shown(c.prompt, {kNothing, kNothing}).execs().at(1).grep_args().pattern(), c.pattern);
  }
}

TEST(Assistant, FindsTheExcerptInAWholeFile) {
  const Shown shown("where is x used?",
                    {R"(grep_result { success {} })",
                     R"(grep_result { success { workspace_results { key: "/w" value { content {
          matches { file: "a" matches { line_number: 3 content: "x" } } } } } } })",
                     R"(read_result { success { content: "1\n2\nx\n4\n" } })"});
  EXPECT_THAT(shown.text(), HasSubstr("From line 3 of a:\n3: x\n4: 4\n"));
}

TEST(Assistant, AnswersALongRunOfSpacesInLinearTime) {
  // The square of it takes minutes.
  const std::string prompt = std::string(1'000'000, ' ') + "x";
  EXPECT_THAT(Shown(prompt, {}).text(), HasSubstr(prompt));
}

TEST(Assistant, ReadsAFile) {
  struct Case {
    const char* result;
    const char* expected;
  };
  constexpr Case kCases[] = {
      {R"(read_result { success { content: "a\nb" total_lines: 2 file_size: 3 } })",
       "notes.txt has 2 lines and 3 bytes. It starts with:\n1: a\n2: b\n"},
      {R"(read_result { success { data: "\377" file_size: 1 } })",
       "notes.txt has 1 byte and is no text.\n"},
      {R"(read_result { file_not_found {} })", "There is no file notes.txt.\n"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.result);
    const Shown shown("What is in notes.txt?", {c.result});
    EXPECT_EQ(shown.execs().at(0).read_args().path(), "notes.txt");
    EXPECT_EQ(shown.text(), c.expected);
  }
}

TEST(Assistant, ListsAFolderThatItTookForAFile) {
  const Shown shown("what is in src/core?",
                    {R"(read_result { invalid_file { reason: "a folder" } })",
                     R"(ls_result { success { directory_tree_root { abs_path: "/w/src/core"
                          children_were_processed: true children_files { name: "a\nb" } } } })"});
  EXPECT_EQ(shown.execs()[1].ls_args().path(), "src/core");
  EXPECT_EQ(shown.text(), "/w/src/core holds 0 folders and 1 file:\n- a?b\n");
}

TEST(Assistant, SaysThatThereIsMoreInAFolder) {
  const Shown shown("what is in this folder?", {R"(ls_result { success { directory_tree_root {
      abs_path: "/w" num_files: 5000 children_dirs { abs_path: "/w/src" }
      children_files { name: "a.txt" } } } })"});
  EXPECT_EQ(shown.text(),
            "/w holds 5000 files at all depths; the first entries are:\n- src/\n- a.txt\n");
}

TEST(Assistant, SaysThatItWasRefused) {
  const char* const expected = "I wanted to look, but your client said no: not here\n";
  EXPECT_EQ(Shown("what is in this folder?",
                  {R"(ls_result { rejected { path: "." reason: "not here" } })"})
                .text(),
            expected);
  EXPECT_EQ(Shown("where is x defined?", {R"(grep_result { error { error: "not here" } })"}).text(),
            expected);
}

TEST(Assistant, RefusesAResultOfAnotherKind) {
  const char* const results[] = {
      "read_result { rejected {} }",
      "ls_result {}",
      "request_context_result { success {} }",
  };
  for (const char* text : results) {
    SCOPED_TRACE(text);
    Client client(milliseconds(0), Client::Execs::kLeave);
    ASSERT_THAT(client.Send(RunRequest("what is in this folder?")), IsOk());
    ASSERT_THAT(client.AnswerAll(), IsOk());
    pb::AgentClientMessage message;
    *message.mutable_exec_client_message() = FromText<pb::ExecClientMessage>(text);
    message.mutable_exec_client_message()->set_id(2);
    EXPECT_THAT(client.Send(message),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("exec")));
  }
}

TEST(Assistant, RemembersWhatWasSaidBefore) {
  const std::vector<std::string> blobs = {kSystemBlob, RulesBlob("Be brief."),
                                          agent::UserMessage(WrapQuery("My name is Ada.")),
                                          agent::AssistantMessage("Hello Ada, nice.")};
  EXPECT_THAT(AnswerTo("What did I say before?", blobs),
              AllOf(HasSubstr("Before that, you said:\n- \"My name is Ada.\", and I answered in 3 "
                              "words\n"),
                    HasSubstr("Your rules are: Be brief.\n")));
}

TEST(Assistant, KnowsTheRulesOfTheRequestContext) {
  Client client(milliseconds(0), Client::Execs::kLeave);
  ASSERT_THAT(client.Send(RunRequest("p", {})), IsOk());
  ASSERT_THAT(client.Send(R"(exec_client_message { id: 1 request_context_result { success {
      request_context { cloud_rule: "Be kind." } } } })"),
              IsOk());
  ASSERT_THAT(client.Send("exec_client_control_message { stream_close { id: 1 } }"), IsOk());
  EXPECT_THAT(client.Text(), HasSubstr("Your rules are: Be kind.\n"));
}

TEST(Assistant, SeesImages) {
  Client client;
  pb::AgentClientMessage request = RunRequest("p");
  pb::SelectedImage& image = *request.mutable_run_request()
                                  ->mutable_action()
                                  ->mutable_user_message_action()
                                  ->mutable_user_message()
                                  ->mutable_selected_context()
                                  ->add_selected_images();
  image.set_mime_type("image/png");
  image.set_data("12345");
  ASSERT_THAT(client.Send(request), IsOk());
  ASSERT_THAT(client.AnswerAll(), IsOk());
  EXPECT_THAT(client.Text(), HasSubstr("You showed me an image: image/png, 5 bytes.\n"));
}

TEST(DefinitionScore, TellsDefinitionsFromUses) {
  // Best first; the last are none at all.
  constexpr const char* kDefinitions[] = {
      "class Foo {",
      "class Foo final : public Bar {",
      "class BAR_EXPORT Foo final : public Bar {",
      "struct API Foo {",
      "  enum class Foo { kA };",
      "struct Foo",
      "message Foo {",
      "def Foo(self):",
      "#define Foo 1",
      "func Foo() error {",
      "using Foo = int;",
      "constexpr int Foo = 3;",
      "int Foo(int x) {",
      "std::string Foo(std::string_view text) {",
      "absl::StatusOr<Foo> Bar::Foo(int x) {",
      "std::string Foo(std::string_view text);",
      "class Foo;",
      "friend class Foo;",
  };
  int last = 5;
  for (const char* line : kDefinitions) {
    SCOPED_TRACE(line);
    const int score = DefinitionScore("a.h", line, "Foo");
    EXPECT_GT(score, 0);
    EXPECT_LE(score, last);
    EXPECT_GE(DefinitionScore("a.h", line, "Bar::Foo"), score);
    last = score;
  }
  constexpr const char* kUses[] = {
      "return Foo(x);",  "  Foo(x);",           "// class Foo is nice",      "x = Foo(1);",
      "if (Foo(x)) {",   "StrCat(a, Foo(b));",  "return code == Foo;",       "new Foo(1);",
      "class FooBar {",  "class NotFoo {",      "auto x = y.Foo(z);",        "Foo foo;",
      "EXPECT_EQ(Foo);", "throw Foo(message);", "#   about      Foo() here",
  };
  for (const char* line : kUses) {
    SCOPED_TRACE(line);
    EXPECT_EQ(DefinitionScore("a.h", line, "Foo"), 0);
  }
  EXPECT_EQ(DefinitionScore("a.md", "class Foo {", "Foo"), 1);
}

TEST(ParseQuestion, TellsWhatIsAskedFor) {
  using Kind = Question::Kind;
  struct Case {
    const char* prompt;
    Kind kind;
    const char* subject;
  };
  constexpr Case kCases[] = {
      {"what is in this folder?", Kind::kFolder, ""},
      {"List the files.", Kind::kFolder, ""},
      {"which files are in the project", Kind::kFolder, ""},
      {"where is EnvelopeDecoder defined?", Kind::kSymbol, "EnvelopeDecoder"},
      {"Where is the function `foo` implemented", Kind::kSymbol, "foo"},
      {"where is main?", Kind::kSymbol, "main"},
      {"Read src/main.cc.", Kind::kFile, "src/main.cc"},
      {"what is in README.md?", Kind::kFile, "README.md"},
      {"show \".gitignore\"", Kind::kFile, ".gitignore"},
      {"what is in ../notes.txt?", Kind::kFile, "../notes.txt"},
      {"What did I ask before?", Kind::kMemory, ""},
      {"hello", Kind::kOther, ""},
      {"", Kind::kOther, ""},
      {"What happens between my question and your answer?", Kind::kOther, ""},
      {"this folder is nice", Kind::kOther, ""},
      {"... ?!", Kind::kOther, ""},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.prompt);
    const Question question = ParseQuestion(c.prompt);
    EXPECT_EQ(question.kind, c.kind);
    EXPECT_EQ(question.subject, c.subject);
  }
}

TEST(Assistant, AllowsHeartbeatsOfWhatIsWorkedOn) {
  Client client;
  ASSERT_THAT(client.Send(RunRequest("p", {"a"})), IsOk());
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(client.Send("exec_client_control_message { heartbeat { id: 1 } }"), IsOk());
    EXPECT_THAT(client.Send("client_heartbeat {}"), IsOk());
  }
}

// --- what is not allowed

// The good request, changed.
pb::AgentClientMessage Changed(void (*change)(pb::AgentRunRequest&)) {
  pb::AgentClientMessage message = RunRequest("p");
  change(*message.mutable_run_request());
  return message;
}

TEST(Assistant, RefusesAFirstMessageThatIsNoRunRequest) {
  const char* const messages[] = {
      "",
      "client_heartbeat {}",
      "kv_client_message { id: 0 get_blob_result {} }",
      "exec_client_message { id: 1 request_context_result { success {} } }",
      "exec_client_control_message { stream_close { id: 1 } }",
      "conversation_action { cancel_action {} }",
      "interaction_response { id: 1 }",
  };
  for (const char* message : messages) {
    SCOPED_TRACE(message);
    Client client;
    EXPECT_THAT(client.Send(message),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("first message")));
    EXPECT_THAT(client.messages(), IsEmpty());
  }
}

TEST(Assistant, RefusesARunRequestThatLacksSomething) {
  struct Case {
    const char* name;
    pb::AgentClientMessage message;
    const char* expected;
  };
  const Case cases[] = {
      {"empty", FromText<pb::AgentClientMessage>("run_request {}"), "user message"},
      {"no action", Changed([](pb::AgentRunRequest& r) { r.clear_action(); }), "user message"},
      {"resume",
       Changed([](pb::AgentRunRequest& r) { r.mutable_action()->mutable_resume_action(); }),
       "user message"},
      {"no text", Changed([](pb::AgentRunRequest& r) {
         r.mutable_action()->mutable_user_message_action()->mutable_user_message()->clear_text();
       }),
       "text"},
      {"no message_id", Changed([](pb::AgentRunRequest& r) {
         r.mutable_action()
             ->mutable_user_message_action()
             ->mutable_user_message()
             ->clear_message_id();
       }),
       "message_id"},
      {"no conversation_id", Changed([](pb::AgentRunRequest& r) { r.clear_conversation_id(); }),
       "conversation_id"},
      {"no model", Changed([](pb::AgentRunRequest& r) { r.clear_requested_model(); }), "model"},
      {"broken state", Changed([](pb::AgentRunRequest& r) { r.set_conversation_state("\xFF"); }),
       "conversation_state"},
      {"inline data in place of a blob id", Changed([](pb::AgentRunRequest& r) {
         pb::ConversationStateStructure state;
         state.add_root_prompt_messages_json(kSystemBlob);
         r.set_conversation_state(state.SerializeAsString());
       }),
       "blob id"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Client client;
    EXPECT_THAT(client.Send(c.message),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.expected)));
  }
}

TEST(Assistant, RefusesWhatTheProtocolDoesNotAllowWithinARun) {
  struct Case {
    const char* name;
    std::vector<const char*> messages;  // behind the run request; the last is refused
    const char* expected;
  };
  constexpr char kContext[] = "exec_client_message { id: 1 request_context_result { success {} } }";
  constexpr char kClose[] = "exec_client_control_message { stream_close { id: 1 } }";
  constexpr char kBlobAnswer[] = "kv_client_message { id: 0 get_blob_result { blob_data: \"a\" } }";
  const Case cases[] = {
      {"empty message", {""}, "without a message"},
      {"wrong kv id",
       {"kv_client_message { id: 2 get_blob_result { blob_data: \"a\" } }"},
       "kv answer 2"},
      {"same blob twice", {kBlobAnswer, kBlobAnswer}, "kv answer 0"},
      {"set_blob_result to a get", {"kv_client_message { set_blob_result {} }"}, "kv answer 0"},
      {"kv answer without a result", {"kv_client_message {}"}, "kv answer 0"},
      {"blob not matching its id",
       {"kv_client_message { get_blob_result { blob_data: \"b\" } }"},
       "does not match"},
      {"empty blob for one that is not",
       {"kv_client_message { get_blob_result { blob_data: \"\" } }"},
       "does not match"},
      {"wrong exec id",
       {"exec_client_message { id: 2 request_context_result { success {} } }"},
       "exec 2"},
      {"exec result twice", {kContext, kContext}, "exec 1"},
      {"another type of result",
       {"exec_client_message { id: 1 ls_result { rejected {} } }"},
       "request context"},
      {"kv answer to the turn twice",
       {kContext, kBlobAnswer, kClose, "kv_client_message { id: 1 set_blob_result {} }",
        "kv_client_message { id: 1 set_blob_result {} }"},
       "kv answer 1"},
      {"context without success",
       {"exec_client_message { id: 1 request_context_result {} }"},
       "request context"},
      {"close before the result", {kClose}, "exec control"},
      {"close of another exec",
       {kContext, "exec_client_control_message { stream_close { id: 2 } }"},
       "exec control"},
      {"close twice", {kContext, kClose, kClose}, "exec control"},
      {"heartbeat of another exec",
       {"exec_client_control_message { heartbeat { id: 2 } }"},
       "exec control"},
      {"heartbeat after the result",
       {kContext, "exec_client_control_message { heartbeat { id: 1 } }"},
       "exec control"},
      {"throw for the context",
       {"exec_client_control_message { throw { id: 1 error: \"x\" } }"},
       "exec control"},
      {"another action", {"conversation_action { user_message_action {} }"}, "cancel"},
      {"answer to no query", {"interaction_response { id: 1 }"}, "interaction_response"},
      {"turn not stored",
       {kContext, kBlobAnswer, kClose,
        "kv_client_message { id: 1 set_blob_result { error { message: \"full\" } } }"},
       "full"},
      {"get_blob_result to a set",
       {kContext, kBlobAnswer, kClose, "kv_client_message { id: 1 get_blob_result {} }"},
       "kv answer 1"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Client client;
    ASSERT_THAT(client.Send(RunRequest("p", {"a"})), IsOk());
    for (size_t i = 0; i + 1 < c.messages.size(); ++i) {
      ASSERT_THAT(client.Send(c.messages[i]), IsOk());
    }
    EXPECT_THAT(client.Send(c.messages.back()),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.expected)));
  }
}

TEST(Assistant, RefusesASecondRunRequest) {
  Client client;
  ASSERT_THAT(client.Send(RunRequest("p")), IsOk());
  EXPECT_THAT(client.Send(RunRequest("p")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("second run_request")));
}

TEST(Assistant, EndsWithBlobNotFoundForABlobThatTheClientDoesNotHave) {
  Client client;
  ASSERT_THAT(client.Send(RunRequest("p", {"not kept"})), IsOk());
  ASSERT_THAT(client.AnswerAll(), IsOk());
  EXPECT_TRUE(client.assistant().done());
  EXPECT_THAT(client.assistant().end_status(),
              StatusIs(absl::StatusCode::kInternal, StartsWith("Blob not found")));
  EXPECT_EQ(client.CountOf("text_delta"), 0u);
}

// --- cancel

TEST(Assistant, StopsWhenItIsCancelled) {
  Client client(milliseconds(20));
  ASSERT_THAT(client.Send(RunRequest("a long prompt")), IsOk());
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
  ASSERT_THAT(client.Send(RunRequest("p")), IsOk());
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
  ASSERT_THAT(client.Send(RunRequest("one two three")), IsOk());
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
  ASSERT_THAT(slow.Send(RunRequest("p")), IsOk());
  ASSERT_THAT(slow.AnswerAll(), IsOk());
  while (const std::optional<milliseconds> next = slow.NextDeadline()) slow.OnDeadlineAt(*next);
  EXPECT_EQ(slow.Kinds().back(), "set_blob 5");
  ASSERT_THAT(slow.AnswerAll(), IsOk());
  EXPECT_TRUE(slow.assistant().done());

  Client fast;
  ASSERT_THAT(fast.Send(RunRequest("p")), IsOk());
  ASSERT_THAT(fast.AnswerAll(), IsOk());
  EXPECT_EQ(slow.Text(), fast.Text());
  EXPECT_THAT(slow.Kinds(), ElementsAreArray(fast.Kinds()));
}

}  // namespace
}  // namespace cursorwire::upstream
