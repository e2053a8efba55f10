#include "agent/query/query.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <variant>

#include "agent/v1/query.pb.h"
#include "agent/v1/run.pb.h"
#include "cursorwire/connect/error_info.h"
#include "support/errors.h"
#include "support/proto_text.h"
#include "support/status_matchers.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using test::Difference;
using test::FromText;
using test::HasOrigin;
using test::IsOk;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// One row of docs/protocol.md, interaction queries.
struct QueryRow {
  int number;
  const char* query;
  const char* response;  // REASON stands for the text that the model gets
  QueryOutput yes;
  const char* approval;
};
const QueryRow kQueryRows[] = {
    {2, "web_search_request_query {}",
     "web_search_request_response { rejected { reason: REASON } }", QueryApproved{},
     "web_search_request_response { approved {} }"},
    {3, R"(ask_question_interaction_query { tool_call_id: "c" })",
     "ask_question_interaction_response { result { error { error_message: REASON } } }",
     QuestionAnswers{.answers = {{.question_id = "q", .option_ids = {"a", "b"}, .text = "t\xFF"}}},
     R"(ask_question_interaction_response { result { success { answers {
          question_id: "q" selected_option_ids: ["a", "b"] freeform_text: "t\357\277\275" } } } })"},
    {4, "switch_mode_request_query {}",
     "switch_mode_request_response { rejected { reason: REASON } }", QueryApproved{},
     "switch_mode_request_response { approved {} }"},
    {5, "exa_search_request_query: \"\"",
     "exa_search_request_response { rejected { reason: REASON } }", QueryApproved{},
     "exa_search_request_response { approved {} }"},
    {6, "exa_fetch_request_query: \"\"",
     "exa_fetch_request_response { rejected { reason: REASON } }", QueryApproved{},
     "exa_fetch_request_response { approved {} }"},
    {7, R"(create_plan_request_query { tool_call_id: "c" })",
     R"(create_plan_request_response { result { error { error: REASON } plan_uri: "" } })",
     PlanAccepted{.plan_uri = "file:///p"},
     R"(create_plan_request_response { result { success {} plan_uri: "file:///p" } })"},
    {8, R"(setup_vm_environment_args { install_command: "i" })",
     "setup_vm_environment_result { success {} }", QueryApproved{},
     "setup_vm_environment_result { success {} }"},
    {9, "web_fetch_request_query { skip_approval: true }",
     "web_fetch_request_response { rejected { reason: REASON } }", QueryApproved{},
     "web_fetch_request_response { approved {} }"},
    {10, "pr_management_request_query {}", "pr_management_result { rejected { reason: REASON } }",
     PullRequestDone{.url = "u", .number = 7, .message = "m"},
     R"(pr_management_result { success { pr_url: "u" pr_number: 7 message: "m" } })"},
    {11, "mcp_auth_request_query {}", "mcp_auth_request_response { rejected { reason: REASON } }",
     QueryApproved{}, "mcp_auth_request_response { approved {} }"},
    {12, R"(generate_image_request_query { args { description: "d" } tool_call_id: "c" })",
     "generate_image_request_response { rejected { reason: REASON } }", QueryApproved{},
     R"(generate_image_request_response { approved { description: "d" } })"},
    {13, "replace_env_args {}", "replace_env_result { failure { error_message: REASON } }",
     QueryApproved{},
     R"(replace_env_result { failure {
          error_message: "The client has no answer of this kind." } })"},
};

std::string WithReason(std::string text, const std::string& reason) {
  if (const size_t at = text.find("REASON"); at != std::string::npos) {
    text.replace(at, 6, "\"" + reason + "\"");
  }
  return text;
}

// The number of the field that is set in the oneof; 0 if none is.
template <typename Message>
int KindNumber(const Message& message) {
  const google::protobuf::FieldDescriptor* field = message.GetReflection()->GetOneofFieldDescriptor(
      message, Message::descriptor()->oneof_decl(0));
  return field == nullptr ? 0 : field->number();
}

pb::InteractionQuery QueryOf(const QueryRow& row) {
  auto query = FromText<pb::InteractionQuery>(row.query);
  EXPECT_EQ(KindNumber(query), row.number);
  query.set_id(300);
  return query;
}

void ExpectAnswer(const absl::StatusOr<pb::AgentClientMessage>& answer, const QueryRow& row,
                  const std::string& response) {
  ASSERT_THAT(answer, IsOk());
  auto expected = FromText<pb::InteractionResponse>(response);
  expected.set_id(300);
  ASSERT_TRUE(answer->has_interaction_response());
  EXPECT_EQ(KindNumber(answer->interaction_response()), row.number);
  EXPECT_EQ(Difference(expected, answer->interaction_response()), "");
}

TEST(AnswerQuery, SaysNoToEachInItsOwnForm) {
  for (const QueryRow& row : kQueryRows) {
    SCOPED_TRACE(row.query);
    ExpectAnswer(AnswerQuery(QueryOf(row)), row,
                 WithReason(row.response, "There is no user to ask."));
  }
}

TEST(AnswerQuery, SaysYesInTheTypeOfTheQuestion) {
  for (const QueryRow& row : kQueryRows) {
    SCOPED_TRACE(row.query);
    ExpectAnswer(AnswerQuery(QueryOf(row), row.yes), row, row.approval);
  }
}

TEST(AnswerQuery, TellsTheMessageOfAStatusAsTheReason) {
  for (const QueryRow& row : kQueryRows) {
    SCOPED_TRACE(row.query);
    const absl::Status no = absl::UnavailableError("not \xFF now");
    ExpectAnswer(AnswerQuery(QueryOf(row), no), row,
                 WithReason(row.response, R"(not \357\277\275 now)"));
  }
}

TEST(AnswerQuery, TakesAnAnswerOfAnotherKindAsANo) {
  for (const QueryRow& row : kQueryRows) {
    SCOPED_TRACE(row.query);
    const bool approves = std::holds_alternative<QueryApproved>(row.yes);
    const QueryOutput wrong = approves ? QueryOutput(PlanAccepted{}) : QueryOutput(QueryApproved{});
    ExpectAnswer(AnswerQuery(QueryOf(row), wrong), row,
                 WithReason(row.response, "The client has no answer of this kind."));
  }
}

TEST(AnswerQuery, HasARowForEachKindOfTheSchema) {
  std::set<int> numbers;
  for (const QueryRow& row : kQueryRows) numbers.insert(row.number);
  numbers.insert(14);  // connect_scm: the fields of its answer are not known
  const google::protobuf::OneofDescriptor* oneof =
      pb::InteractionQuery::descriptor()->FindOneofByName("query");
  for (int i = 0; i < oneof->field_count(); ++i) {
    EXPECT_TRUE(numbers.contains(oneof->field(i)->number())) << oneof->field(i)->name();
  }
}

TEST(AnswerQuery, DoesNotAnswerAKindThatItDoesNotKnow) {
  struct Case {
    const char* name;
    std::string field;  // after the id, which is 7
  };
  const Case cases[] = {{"14", "\x72\x01x"}, {"99", "\x9A\x06\x01x"}, {"none", ""}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    pb::InteractionQuery query;
    ASSERT_TRUE(query.ParseFromString("\x08\x07" + c.field));
    for (const auto& answer :
         {AnswerQuery(query), AnswerQuery(query, QueryOutput(QueryApproved{}))}) {
      EXPECT_THAT(answer, AllOf(StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("7")),
                                HasOrigin(connect::ErrorOrigin::kLocal)));
    }
    EXPECT_FALSE(ToQueryArgs(query).has_value());
  }
}

// Those of old schemas, and those about the machine of an agent that runs elsewhere.
const std::set<int> kUnasked = {5, 6, 8, 13};

TEST(ToQueryArgs, ReadsEachKindThatAUserIsAsked) {
  std::set<size_t> kinds;
  for (const QueryRow& row : kQueryRows) {
    SCOPED_TRACE(row.query);
    const std::optional<QueryArgs> args = ToQueryArgs(QueryOf(row));
    const bool is_asked = !kUnasked.contains(row.number);
    ASSERT_EQ(args.has_value(), is_asked);
    if (!is_asked) continue;
    kinds.insert(args->index());
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<QueryArgs>);
}

template <typename T>
T Args(const char* text) {
  return std::get<T>(ToQueryArgs(FromText<pb::InteractionQuery>(text)).value());
}

TEST(ToQueryArgs, KeepsWhatIsToBeApproved) {
  const auto search = Args<WebSearchQuery>(
      R"(web_search_request_query { args { search_term: "s" tool_call_id: "c" } })");
  EXPECT_EQ(search.search_term, "s");
  EXPECT_EQ(search.call_id, "c");

  const auto fetch =
      Args<WebFetchQuery>(R"(web_fetch_request_query { args { url: "u" tool_call_id: "c" } })");
  EXPECT_EQ(fetch.url, "u");
  EXPECT_EQ(fetch.call_id, "c");

  const auto mode = Args<SwitchModeQuery>(R"(switch_mode_request_query { args {
      target_mode_id: "plan" explanation: "e" tool_call_id: "c" } })");
  EXPECT_EQ(mode.target_mode, "plan");
  EXPECT_EQ(mode.explanation, "e");
  EXPECT_EQ(mode.call_id, "c");

  const auto image = Args<GenerateImageQuery>(R"(generate_image_request_query { args {
      description: "d" file_path: "f" reference_image_paths: ["a", "b"] } tool_call_id: "c" })");
  EXPECT_EQ(image.description, "d");
  EXPECT_EQ(image.file_path, "f");
  EXPECT_THAT(image.reference_image_paths, ElementsAre("a", "b"));
  EXPECT_EQ(image.call_id, "c");

  const auto auth = Args<McpAuthQuery>(
      R"(mcp_auth_request_query { args { server_identifier: "s" tool_call_id: "c" } })");
  EXPECT_EQ(auth.server, "s");
  EXPECT_EQ(auth.call_id, "c");
}

TEST(ToQueryArgs, KeepsQuestionsAndPlans) {
  const auto ask = Args<AskQuestionQuery>(R"(ask_question_interaction_query { args { title: "t"
      questions { id: "q" prompt: "p" allow_multiple: true
                  options { id: "1" label: "one" } options { id: "2" label: "two" } }
      questions { id: "r" } } tool_call_id: "c" })");
  EXPECT_EQ(ask.title, "t");
  EXPECT_EQ(ask.call_id, "c");
  ASSERT_EQ(ask.questions.size(), 2u);
  EXPECT_EQ(ask.questions[0].id, "q");
  EXPECT_EQ(ask.questions[0].prompt, "p");
  EXPECT_TRUE(ask.questions[0].allow_multiple);
  ASSERT_EQ(ask.questions[0].options.size(), 2u);
  EXPECT_EQ(ask.questions[0].options[1].id, "2");
  EXPECT_EQ(ask.questions[0].options[1].label, "two");
  EXPECT_FALSE(ask.questions[1].allow_multiple);

  const auto plan = Args<CreatePlanQuery>(R"(create_plan_request_query { args { name: "n"
      overview: "o" plan: "# p" todos { content: "1" } todos { content: "2" }
      phases { todos { content: "3" } } } tool_call_id: "c" })");
  EXPECT_EQ(plan.name, "n");
  EXPECT_EQ(plan.overview, "o");
  EXPECT_EQ(plan.plan, "# p");
  EXPECT_THAT(plan.todos, ElementsAre("1", "2", "3"));
  EXPECT_EQ(plan.call_id, "c");
}

TEST(ToQueryArgs, KeepsIdsAndDependenciesOfAPlan) {
  const auto plan = Args<CreatePlanQuery>(R"(create_plan_request_query { args {
      todos { id: "a" content: "1" status: TODO_STATUS_COMPLETED }
      todos { id: "b" content: "2" status: TODO_STATUS_IN_PROGRESS dependencies: "a" }
      todos { id: "c" content: "3" status: TODO_STATUS_CANCELLED }
      phases { todos { content: "4" dependencies: "a" dependencies: "b" } } } })");
  const struct {
    const char* id;
    const char* content;
    TodoStatus status;
    std::vector<std::string> dependencies;
  } kTodos[] = {{"a", "1", TodoStatus::kCompleted, {}},
                {"b", "2", TodoStatus::kInProgress, {"a"}},
                {"c", "3", TodoStatus::kCancelled, {}},
                {"", "4", TodoStatus::kPending, {"a", "b"}}};
  ASSERT_EQ(plan.todo_items.size(), std::size(kTodos));
  for (size_t i = 0; i < std::size(kTodos); ++i) {
    SCOPED_TRACE(kTodos[i].content);
    EXPECT_EQ(plan.todo_items[i].id, kTodos[i].id);
    EXPECT_EQ(plan.todo_items[i].content, kTodos[i].content);
    EXPECT_EQ(plan.todo_items[i].status, kTodos[i].status);
    EXPECT_EQ(plan.todo_items[i].dependencies, kTodos[i].dependencies);
  }
}

TEST(ToQueryArgs, KeepsPullRequests) {
  const auto create = Args<PullRequestQuery>(R"(pr_management_request_query { args {
      tool_call_id: "c" create_pr { title: "t" base_branch: "main" } } })");
  EXPECT_TRUE(create.creates);
  EXPECT_EQ(create.details_json, R"({"title":"t","baseBranch":"main"})");
  EXPECT_EQ(create.call_id, "c");
  const auto update = Args<PullRequestQuery>(
      R"(pr_management_request_query { args { update_pr { pr_url: "u" } } })");
  EXPECT_FALSE(update.creates);
  EXPECT_EQ(update.details_json, R"({"prUrl":"u"})");
  EXPECT_EQ(Args<PullRequestQuery>("pr_management_request_query {}").details_json, "{}");
}

}  // namespace
}  // namespace cursorwire::agent
