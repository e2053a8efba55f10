// Each kind of exec, question and update of the schema, played by a script to a client that has no
// handlers: each is answered in its own form, or shown, and the turn goes on.
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "agent/v1/exec.pb.h"
#include "agent/v1/interaction.pb.h"
#include "agent/v1/query.pb.h"
#include "cursorwire/client.h"
#include "cursorwire/local_upstream.h"
#include "cursorwire/script.h"
#include "support/chat_outcome.h"
#include "support/status_matchers.h"
#include "support/test_server.h"

namespace cursorwire::test {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::OneofDescriptor;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<const FieldDescriptor*> CasesOf(const google::protobuf::Descriptor* message,
                                            const char* oneof) {
  std::vector<const FieldDescriptor*> cases;
  const OneofDescriptor* found = message->FindOneofByName(oneof);
  for (int i = 0; i < found->field_count(); ++i) cases.push_back(found->field(i));
  return cases;
}

// A message with that field set to nothing, as JSON.
std::string Empty(const FieldDescriptor* field) {
  const bool is_message = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  return "{\"" + field->name() + "\":" + (is_message ? "{}" : "\"\"") + "}";
}

// How the turn of a script goes with a client that serves nothing.
ChatOutcome Play(const Script& script) {
  LocalUpstream upstream = *LocalUpstream::Start(script);
  const Client client = *Client::Create({.endpoint = upstream.url(),
                                         .token = "any",
                                         .channel = {.tls = {.ca_pem = upstream.ca_pem()}}});
  ChatOutcome outcome;
  ChatStream stream = client.Chat({.prompt = "p"});
  while (const auto element = stream.Next()) outcome.Add(*element);
  EXPECT_TRUE(upstream.WaitForRuns(1, kPatience));
  outcome.violations = upstream.violations();
  return outcome;
}

// What a kind of exec is answered with; "" for a throw. Source: docs/protocol.md, execs.
const std::map<std::string, std::string>& ExecAnswers() {
  static const std::map<std::string, std::string> answers = {
      {"shell_args", R"({"shell_result":{"rejected":{}}})"},
      {"write_args", R"({"write_result":{"rejected":{}}})"},
      {"delete_args", R"({"delete_result":{"rejected":{}}})"},
      {"grep_args", R"({"grep_result":{"error":{}}})"},
      {"read_args", R"({"read_result":{"rejected":{}}})"},
      {"ls_args", R"({"ls_result":{"rejected":{}}})"},
      {"diagnostics_args", R"({"diagnostics_result":{"rejected":{}}})"},
      {"request_context_args", R"({"request_context_result":{"success":{}}})"},
      {"mcp_args", R"({"mcp_result":{"tool_not_found":{}}})"},
      {"shell_stream_args", R"({"shell_stream":{"rejected":{}}})"},
      {"background_shell_spawn_args", R"({"background_shell_spawn_result":{"rejected":{}}})"},
      {"list_mcp_resources_exec_args", R"({"list_mcp_resources_exec_result":{"rejected":{}}})"},
      {"read_mcp_resource_exec_args", R"({"read_mcp_resource_exec_result":{"rejected":{}}})"},
      {"fetch_args", R"({"fetch_result":{"error":{}}})"},
      {"record_screen_args", R"({"record_screen_result":{"failure":{}}})"},
      {"computer_use_args", R"({"computer_use_result":{"error":{}}})"},
      {"write_shell_stdin_args", R"({"write_shell_stdin_result":{"error":{}}})"},
      {"redacted_read_args", R"({"redacted_read_result":{"rejected":{}}})"},
      {"execute_hook_args", ""},
      {"subagent_args", ""},
      {"force_background_shell_args", ""},
      {"force_background_subagent_args", ""},
      {"mcp_state_exec_args", R"({"mcp_state_exec_result":{"rejected":{}}})"},
      {"subagent_await_args", ""},
      {"smart_mode_classifier_args", ""},
  };
  return answers;
}

// From here on kinds are known by their names alone (docs/protocol.md, execs).
constexpr int kFirstOpaqueExec = 40;

TEST(EveryExec, IsAnsweredInItsOwnForm) {
  Script script;
  size_t rows = 0;
  for (const FieldDescriptor* field :
       CasesOf(::agent::v1::ExecServerMessage::descriptor(), "message")) {
    SCOPED_TRACE(field->name());
    const auto answer = ExecAnswers().find(field->name());
    if (answer == ExecAnswers().end()) {
      EXPECT_GE(field->number(), kFirstOpaqueExec) << "a kind without a row";
    } else {
      ++rows;
    }
    script.Exec(Empty(field));
    if (answer == ExecAnswers().end() || answer->second.empty()) {
      script.ExpectThrow();
    } else {
      script.Expect(answer->second);
    }
  }
  EXPECT_EQ(rows, ExecAnswers().size());
  const ChatOutcome outcome = Play(script.TurnEnded());
  EXPECT_THAT(outcome.status, IsOk());
  EXPECT_THAT(outcome.violations, IsEmpty());
}

TEST(EveryQuestion, IsAnsweredInItsOwnForm) {
  const std::map<std::string, std::string> answers = {
      {"web_search_request_query", R"({"web_search_request_response":{"rejected":{}}})"},
      {"ask_question_interaction_query",
       R"({"ask_question_interaction_response":{"result":{"error":{}}}})"},
      {"switch_mode_request_query", R"({"switch_mode_request_response":{"rejected":{}}})"},
      {"exa_search_request_query", R"({"exa_search_request_response":{"rejected":{}}})"},
      {"exa_fetch_request_query", R"({"exa_fetch_request_response":{"rejected":{}}})"},
      {"create_plan_request_query", R"({"create_plan_request_response":{"result":{"error":{}}}})"},
      {"setup_vm_environment_args", R"({"setup_vm_environment_result":{"success":{}}})"},
      {"web_fetch_request_query", R"({"web_fetch_request_response":{"rejected":{}}})"},
      {"pr_management_request_query", R"({"pr_management_result":{"rejected":{}}})"},
      {"mcp_auth_request_query", R"({"mcp_auth_request_response":{"rejected":{}}})"},
      {"generate_image_request_query", R"({"generate_image_request_response":{"rejected":{}}})"},
      {"replace_env_args", R"({"replace_env_result":{"failure":{}}})"},
  };
  Script script;
  std::set<std::string> without_answer;
  for (const FieldDescriptor* field :
       CasesOf(::agent::v1::InteractionQuery::descriptor(), "query")) {
    const auto answer = answers.find(field->name());
    if (answer == answers.end()) {
      without_answer.insert(field->name());
    } else {
      script.Query(Empty(field)).Expect(answer->second);
    }
  }
  const ChatOutcome outcome = Play(script.TurnEnded());
  EXPECT_THAT(outcome.status, IsOk());
  EXPECT_THAT(outcome.violations, IsEmpty());
  // No source says how it is answered.
  EXPECT_THAT(without_answer, ElementsAre("connect_scm_request_query"));
}

TEST(EveryQuestion, EndsTheTurnIfNobodyKnowsTheAnswer) {
  const ChatOutcome outcome =
      Play(Script().Query(R"({"connect_scm_request_query":""})").NoAwait().ExpectCancel());
  EXPECT_THAT(outcome.status, StatusIs(absl::StatusCode::kUnimplemented));
  EXPECT_EQ(outcome.terminal_elements, 1);
}

TEST(EveryUpdate, LetsTheTurnGoOn) {
  Script script;
  for (const FieldDescriptor* field :
       CasesOf(::agent::v1::InteractionUpdate::descriptor(), "message")) {
    if (field->name() != "turn_ended") script.Update(Empty(field));
  }
  const ChatOutcome outcome = Play(script.Text("still here").TurnEnded());
  EXPECT_THAT(outcome.status, IsOk());
  EXPECT_EQ(outcome.text, "still here");
  EXPECT_THAT(outcome.violations, IsEmpty());
}

}  // namespace
}  // namespace cursorwire::test
