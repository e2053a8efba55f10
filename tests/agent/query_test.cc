#include "agent/query.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

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
using ::testing::HasSubstr;

// One row of docs/protocol.md, interaction queries.
struct Row {
  int number;
  const char* query;
  const char* response;  // REASON stands for the text that the model gets
};
constexpr Row kRows[] = {
    {2, "web_search_request_query {}",
     "web_search_request_response { rejected { reason: REASON } }"},
    {3, R"(ask_question_interaction_query { tool_call_id: "c" })",
     "ask_question_interaction_response { result { error { error_message: REASON } } }"},
    {4, "switch_mode_request_query {}",
     "switch_mode_request_response { rejected { reason: REASON } }"},
    {7, R"(create_plan_request_query { tool_call_id: "c" })",
     R"(create_plan_request_response { result { error { error: REASON } plan_uri: "" } })"},
    {8, R"(setup_vm_environment_args { install_command: "i" })",
     "setup_vm_environment_result { success {} }"},
    {9, "web_fetch_request_query { skip_approval: true }",
     "web_fetch_request_response { rejected { reason: REASON } }"},
    {10, "pr_management_request_query {}", "pr_management_result { rejected { reason: REASON } }"},
    {11, "mcp_auth_request_query {}", "mcp_auth_request_response { rejected { reason: REASON } }"},
    {12, R"(generate_image_request_query { tool_call_id: "c" })",
     "generate_image_request_response { rejected { reason: REASON } }"},
    {13, "replace_env_args {}", "replace_env_result { failure { error_message: REASON } }"},
};

std::string WithReason(std::string text) {
  if (const size_t at = text.find("REASON"); at != std::string::npos) {
    text.replace(at, 6, "\"There is no user to ask.\"");
  }
  return text;
}

// The number of the field that is set in the oneof; 0 if none is.
template <typename Message>
int NumberOf(const Message& message) {
  const google::protobuf::FieldDescriptor* field = message.GetReflection()->GetOneofFieldDescriptor(
      message, Message::descriptor()->oneof_decl(0));
  return field == nullptr ? 0 : field->number();
}

TEST(AnswerQuery, SaysNoToEachInItsOwnForm) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.query);
    auto query = FromText<pb::InteractionQuery>(row.query);
    ASSERT_EQ(NumberOf(query), row.number);
    query.set_id(300);
    const absl::StatusOr<pb::AgentClientMessage> answer = AnswerQuery(query);
    ASSERT_THAT(answer, IsOk());
    auto expected = FromText<pb::InteractionResponse>(WithReason(row.response));
    expected.set_id(300);
    ASSERT_TRUE(answer->has_interaction_response());
    EXPECT_EQ(NumberOf(answer->interaction_response()), row.number);
    EXPECT_EQ(Difference(expected, answer->interaction_response()), "");
  }
}

TEST(AnswerQuery, HasARowForEachKindOfTheSchema) {
  std::set<int> numbers;
  for (const Row& row : kRows) numbers.insert(row.number);
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
    std::string field;  // behind the id, which is 7
  };
  const Case cases[] = {{"5", "\x2A\x01x"},
                        {"6", "\x32\x01x"},
                        {"14", "\x72\x01x"},
                        {"99", "\x9A\x06\x01x"},
                        {"none", ""}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    pb::InteractionQuery query;
    ASSERT_TRUE(query.ParseFromString("\x08\x07" + c.field));
    EXPECT_THAT(AnswerQuery(query),
                AllOf(StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("7")),
                      HasOrigin(connect::ErrorOrigin::kLocal)));
  }
}

}  // namespace
}  // namespace cursorwire::agent
