#include "agent/exec/exec.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "agent/exec/exec_answers.h"
#include "agent/v1/exec.pb.h"
#include "agent/v1/run.pb.h"
#include "support/hex.h"
#include "support/proto_text.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;
using test::Difference;
using test::FromHex;
using test::FromText;
using ::testing::HasSubstr;

std::string WithReason(std::string text) {
  const std::string reason = "\"This client does not allow actions on the user's machine.\"";
  if (const size_t at = text.find("REASON"); at != std::string::npos) text.replace(at, 6, reason);
  return text;
}

TEST(RefuseExec, RefusesEachKindInItsOwnTypeAndClosesIt) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.args);
    auto exec = FromText<pb::ExecServerMessage>(row.args);
    ASSERT_EQ(NumberOf(exec), row.number);
    exec.set_id(kId);
    exec.set_exec_id(kExecId);

    const std::vector<pb::AgentClientMessage> answers = RefuseExec(exec);
    ASSERT_EQ(answers.size(), 2u);
    auto expected = FromText<pb::ExecClientMessage>(WithReason(row.result));
    expected.set_id(kId);
    expected.set_exec_id(kExecId);
    ASSERT_TRUE(answers[0].has_exec_client_message());
    EXPECT_EQ(NumberOf(answers[0].exec_client_message()), row.number);
    EXPECT_EQ(Difference(expected, answers[0].exec_client_message()), "");
    ExpectStreamClose(answers[1], kId);
  }
}

TEST(RefuseExec, AnswersEachKindWithoutArgumentsAndIds) {
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.number);
    pb::ExecServerMessage exec;
    exec.GetReflection()->MutableMessage(
        &exec, pb::ExecServerMessage::descriptor()->FindFieldByNumber(row.number));
    const std::vector<pb::AgentClientMessage> answers = RefuseExec(exec);
    ASSERT_EQ(answers.size(), 2u);
    EXPECT_EQ(NumberOf(answers[0].exec_client_message()), row.number);
    EXPECT_EQ(answers[0].exec_client_message().id(), 0u);
    EXPECT_EQ(answers[0].exec_client_message().exec_id(), "");
    ExpectStreamClose(answers[1], 0);
  }
}

TEST(RefuseExec, HasARowForEachKindOfTheSchema) {
  // 10, the request context, is told and never refused by a Run.
  std::set<int> numbers(std::begin(kThrown), std::end(kThrown));
  for (const Row& row : kRows) EXPECT_TRUE(numbers.insert(row.number).second) << row.number;
  const google::protobuf::OneofDescriptor* oneof =
      pb::ExecServerMessage::descriptor()->FindOneofByName("message");
  for (int i = 0; i < oneof->field_count(); ++i) {
    EXPECT_TRUE(numbers.contains(oneof->field(i)->number())) << oneof->field(i)->name();
  }
}

TEST(RefuseExec, ThrowsForEachKindThatItDoesNotKnow) {
  for (const int number : kThrown) {
    SCOPED_TRACE(number);
    ExpectThrow(RefuseExec(WithUnknownField(number)), kId);
  }
}

TEST(RefuseExec, ThrowsForAnExecWithoutAKind) {
  pb::ExecServerMessage exec;
  ExpectThrow(RefuseExec(exec), 0);
  exec.set_id(kId);
  ExpectThrow(RefuseExec(exec), kId);
}

TEST(RefuseExec, TakesNoOtherFieldForAnExec) {
  // 19 span_context, 55 and 57: docs/protocol.md, execs.
  auto exec = FromText<pb::ExecServerMessage>(
      R"(id: 300 ls_args { path: "/w" } accept_hook_additional_contexts: true machine_id: "m")");
  ASSERT_TRUE(exec.MergeFromString(FromHex("9A 01 02 0A 00")));
  const std::vector<pb::AgentClientMessage> answers = RefuseExec(exec);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(NumberOf(answers[0].exec_client_message()), 8);
}

TEST(RefuseExec, NamesTheToolByItsNameWhereItHasNoToolName) {
  const std::vector<pb::AgentClientMessage> answers =
      RefuseExec(FromText<pb::ExecServerMessage>(R"(id: 1 mcp_args { name: "lookup" })"));
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].exec_client_message().mcp_result().tool_not_found().name(), "lookup");
}

ToolRegistry TwoTools() {
  ToolRegistry tools;
  const auto handler = [](const ToolCall&) { return ToolResult::Text(""); };
  tools.Add({.name = "get"}, handler).Add({.name = "set"}, handler);
  return tools;
}

TEST(RefuseExec, TellsTheModelWhichToolsItHas) {
  const ToolRegistry tools = TwoTools();
  const ToolOffer offer(tools);
  const std::string hint = "Use mcp_cursorwire_get, mcp_cursorwire_set instead.";
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.args);
    const auto exec = FromText<pb::ExecServerMessage>(row.args);
    const std::vector<pb::AgentClientMessage> answers = RefuseExec(exec, offer);
    ASSERT_EQ(answers.size(), 2u);
    EXPECT_EQ(NumberOf(answers[0].exec_client_message()), row.number);
    const std::string text = answers[0].DebugString();
    if (row.number == 11) {
      EXPECT_EQ(
          Difference(FromText<pb::McpResult>(
                         R"(tool_not_found { name: "tool" available_tools: ["get", "set"] })"),
                     answers[0].exec_client_message().mcp_result()),
          "");
    } else {
      EXPECT_THAT(text, HasSubstr(" user\\'s machine. " + hint));
    }
  }
  const std::vector<pb::AgentClientMessage> thrown = RefuseExec(WithUnknownField(99), offer);
  ExpectThrow(thrown, kId);
  EXPECT_THAT(thrown[0].DebugString(), HasSubstr(hint));
}

TEST(AnswerRequestContext, TellsTheContextAndClosesTheExec) {
  const auto exec =
      FromText<pb::ExecServerMessage>(R"(id: 300 exec_id: "e" request_context_args {})");
  const auto context = FromText<pb::RequestContext>(R"(env { shell: "/bin/sh" })");
  const std::vector<pb::AgentClientMessage> answers = AnswerRequestContext(exec, context);
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(Difference(FromText<pb::AgentClientMessage>(
                           R"(exec_client_message { id: 300 exec_id: "e" request_context_result {
                          success { request_context { env { shell: "/bin/sh" } } } } })"),
                       answers[0]),
            "");
  ExpectStreamClose(answers[1], kId);
}

}  // namespace
}  // namespace cursorwire::agent
