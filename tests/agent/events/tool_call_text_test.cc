#include "agent/events/tool_call_text.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "agent/events/tool_bytes.h"
#include "agent/events/tool_view.h"
#include "support/proto_text.h"
#include "support/status_matchers.h"
#include "wire/json.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using test::FromText;
using test::IsOk;
using test::ToolCallDeltaOf;
using test::ToolCallOf;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// Kinds of which the schema has no fields. Source: proto/README.md.
const std::set<std::string> kOpaque = {"send_message",    "fetch_cloud_agent_data",
                                       "send_to_user",    "pi_read",
                                       "pi_bash",         "pi_edit",
                                       "pi_write",        "pi_grep",
                                       "pi_find",         "pi_ls",
                                       "connect_scm",     "search_conversations",
                                       "create_goal",     "update_goal",
                                       "adopt",           "get_agent_status",
                                       "send_to_agent",   "read_agent_transcript",
                                       "create_agent",    "stop_agent",
                                       "get_pr_code_tour"};

TEST(ToToolCallInfo, GivesArgumentsAndResultAsJson) {
  struct Case {
    const char* field;
    const char* text;
    const char* kind;
    const char* arguments;
    const char* result;
  };
  const Case cases[] = {
      {"shell_tool_call",
       R"(args { command: "ls" timeout: 7 file_output_threshold_bytes: 9 } description: "List.")",
       "shell",
       R"({"command":"ls","timeout":7,"file_output_threshold_bytes":"9","description":"List."})",
       ""},
      {"shell_tool_call", R"(args { description: "inner" } description: "outer")", "shell",
       R"({"description":"inner"})", ""},
      {"shell_tool_call", R"(description: "outer")", "shell", R"({"description":"outer"})", ""},
      {"shell_tool_call", R"(args { command: "ls" } result { success { exit_code: 1 } })", "shell",
       R"({"command":"ls"})", R"({"success":{"exit_code":1}})"},
      {"read_tool_call", R"(args { path: "a\"b" } result { success { data: "\001\377" } })", "read",
       R"({"path":"a\"b"})", R"({"success":{"data":"Af8="}})"},
      {"edit_tool_call", R"(args { path: "f" } result { file_not_found { path: "f" } })", "edit",
       R"({"path":"f"})", R"({"file_not_found":{"path":"f"}})"},
      {"apply_agent_diff_tool_call",
       R"(result { success { applied_changes { path: "f" change_type: CHANGE_TYPE_DELETED } } })",
       "apply_agent_diff", "{}",
       R"({"success":{"applied_changes":[{"path":"f","change_type":"CHANGE_TYPE_DELETED"}]}})"},
      {"truncated_tool_call", R"(original_step_blob_id: "abc" result { success {} })", "truncated",
       R"({"original_step_blob_id":"YWJj"})", R"({"success":{}})"},
      {"read_todos_tool_call", "args {} result {}", "read_todos", "{}", "{}"},
      {"web_search_tool_call", "", "web_search", "{}", ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.field);
    const ToolCallInfo info = ToToolCallInfo("id", "model", ToolCallOf(c.field, c.text));
    EXPECT_EQ(info.call_id, "id");
    EXPECT_EQ(info.model_call_id, "model");
    EXPECT_EQ(info.kind, c.kind);
    EXPECT_EQ(info.name, "");
    EXPECT_EQ(info.arguments_json, c.arguments);
    EXPECT_EQ(info.result_json, c.result);
  }
}

// Sets every field, `depth` messages deep.
void Fill(Message& message, int depth) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = message.GetDescriptor()->field(i);
    if (field->is_repeated()) continue;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        reflection.SetString(&message, field, "text");
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        reflection.SetBool(&message, field, true);
        break;
      case FieldDescriptor::CPPTYPE_MESSAGE:
        if (depth > 0) Fill(*reflection.MutableMessage(&message, field), depth - 1);
        break;
      default:
        break;
    }
  }
}

TEST(ToToolCallInfo, KnowsEachKindOfTheSchema) {
  const auto* oneof = pb::ToolCall::descriptor()->FindOneofByName("tool");
  ASSERT_GT(oneof->field_count(), 60);
  for (int i = 0; i < oneof->field_count(); ++i) {
    const FieldDescriptor& field = *oneof->field(i);
    const std::string kind = field.name().substr(0, field.name().find("_tool_call"));
    SCOPED_TRACE(kind);
    if (kind == "mcp") continue;
    const std::unique_ptr<Message> message = ParseToolBytes(field, "");
    ASSERT_EQ(message == nullptr, kOpaque.contains(kind));
    pb::ToolCall call;
    if (message != nullptr) Fill(*message, 6);
    call.GetReflection()->SetString(
        &call, &field, message == nullptr ? "\x0A\x01x" : message->SerializeAsString());
    const ToolCallInfo info = ToToolCallInfo("", "", call);
    EXPECT_EQ(info.kind, kind);
    EXPECT_THAT(wire::ParseJson(info.arguments_json), IsOk()) << info.arguments_json;
    if (message == nullptr) {
      EXPECT_EQ(info.arguments_json, "{}");
      EXPECT_EQ(info.result_json, "");
      continue;
    }
    EXPECT_THAT(wire::ParseJson(info.result_json), IsOk()) << info.result_json;
    EXPECT_NE(info.result_json, "{}");
  }
}

TEST(ToToolCallInfo, GivesTheArgumentsOfAnMcpToolAsTheyAre) {
  pb::ToolCall call = FromText<pb::ToolCall>(R"(
      mcp_tool_call {
        args {
          name: "host_add" tool_name: "add" provider_identifier: "host" tool_call_id: "c"
          args { key: "a" value: "\021\000\000\000\000\000\000\010@" }
        }
        result { success { content { text { text: "4" } } } }
        description: "Adds."
      })");
  ToolCallInfo info = ToToolCallInfo("c", "", call);
  EXPECT_EQ(info.kind, "mcp");
  EXPECT_EQ(info.name, "add");
  EXPECT_EQ(info.arguments_json, R"({"a":3})");
  EXPECT_EQ(info.result_json, R"({"success":{"content":[{"text":{"text":"4"}}]}})");

  call.mutable_mcp_tool_call()->mutable_args()->clear_tool_name();
  call.mutable_mcp_tool_call()->mutable_args()->clear_args();
  call.mutable_mcp_tool_call()->clear_result();
  info = ToToolCallInfo("c", "", call);
  EXPECT_EQ(info.name, "host_add");
  EXPECT_EQ(info.arguments_json, "{}");
  EXPECT_EQ(info.result_json, "");
}

TEST(ToToolCallInfo, HoldsAgainstBytesThatAreNoMessage) {
  for (const char* bytes : {"\xFF", "\x0A\x7F", "\x0A\x03\x0A\x01\xFF"}) {
    pb::ToolCall call;
    call.set_shell_tool_call(bytes);
    const ToolCallInfo info = ToToolCallInfo("c", "", call);
    EXPECT_EQ(info.kind, "shell");
    EXPECT_EQ(info.arguments_json, "{}");
    EXPECT_EQ(info.result_json, "");
  }
}

TEST(ToToolCallInfo, SaysNothingOfAKindThatTheSchemaDoesNotHave) {
  pb::ToolCall call;
  ASSERT_TRUE(call.ParseFromString("\x9A\x06\x01x"));  // 99
  const ToolCallInfo info = ToToolCallInfo("c", "", call);
  EXPECT_EQ(info.kind, "");
  EXPECT_EQ(info.arguments_json, "{}");
  EXPECT_EQ(info.result_json, "");
}

// Which case it is, and a number, count more than the end of a text.
TEST(ToToolCallInfo, CutsTextsThatAreTooLong) {
  const std::string long_text(size_t{1024} * 1024 + 1, 'x');
  pb::ToolCall call = ToolCallOf(
      "shell_tool_call",
      R"(args { command: "c" } result { success { exit_code: 3 stdout: ")" + long_text + "\" } }");
  ToolCallInfo info = ToToolCallInfo("c", "", call);
  EXPECT_EQ(info.arguments_json, R"({"command":"c"})");
  EXPECT_EQ(info.result_json, R"({"success":{"exit_code":3,"stdout":")" + std::string(204800, 'x') +
                                  R"(\n[cut here: 1048577 bytes in all]"},)"
                                  R"("truncated":true,"bytes":1048587})");

  const std::string grows(size_t{300} * 1024, '\x01');  // six times as long in JSON
  call = ToolCallOf("shell_tool_call", R"(args { command: ")" + grows + R"(" } description: "d")");
  info = ToToolCallInfo("c", "", call);
  EXPECT_THAT(info.arguments_json,
              EndsWith(R"(\n[cut here: 307200 bytes in all]","truncated":true,)"
                       R"("bytes":307204,"description":"d"})"));
  EXPECT_LE(info.arguments_json.size(), size_t{1024} * 1024);
}

TEST(ToToolCallInfo, CutsListsThatAreTooLong) {
  std::string files;
  for (int i = 0; i < 100'000; ++i) files += "files: \"a-name-of-a-file\" ";
  const pb::ToolCall call =
      ToolCallOf("glob_tool_call", "result { success { " + files + "total_files: 100000 } }");
  const ToolCallInfo info = ToToolCallInfo("c", "", call);
  EXPECT_THAT(info.result_json, AllOf(HasSubstr("100000"), HasSubstr("a-name-of-a-file"),
                                      HasSubstr(R"("truncated":true)")));
}

TEST(ToToolCallInfo, WorksOnSeveralThreadsAtOnce) {
  const pb::ToolCall call = ToolCallOf("grep_tool_call", R"(args { pattern: "a" })");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&call] {
      for (int n = 0; n < 20; ++n) {
        EXPECT_EQ(ToToolCallInfo("c", "", call).arguments_json, R"({"pattern":"a"})");
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(ToolCallDeltaJson, SaysWhichOutputAndThePiece) {
  struct Case {
    const char* text;
    const char* json;
  };
  const Case cases[] = {
      {R"(shell_tool_call_delta { stdout { content: "a\n" } })",
       R"({"shell_tool_call_delta":{"stdout":{"content":"a\n"}}})"},
      {R"(shell_tool_call_delta { stderr { content: "b" } })",
       R"({"shell_tool_call_delta":{"stderr":{"content":"b"}}})"},
      {R"(edit_tool_call_delta { stream_content_delta: "c" })",
       R"({"edit_tool_call_delta":{"stream_content_delta":"c"}})"},
      {R"(task_tool_call_delta { interaction_update { text_delta { text: "d" } } })",
       R"({"task_tool_call_delta":{"interaction_update":{"text_delta":{"text":"d"}}}})"},
      {R"(replace_env_tool_call_delta { associated_pod_key: "k" })",
       R"({"replace_env_tool_call_delta":{"associated_pod_key":"k"}})"},
      {"", "{}"},
  };
  for (const Case& c : cases) EXPECT_EQ(ToolCallDeltaJson(ToolCallDeltaOf(c.text)), c.json);

  pb::ToolCallDeltaUpdate broken;
  EXPECT_EQ(ToolCallDeltaJson(broken), "{}");
  broken.set_tool_call_delta("\xFF");
  EXPECT_EQ(ToolCallDeltaJson(broken), "{}");
}

TEST(ParseToolBytes, ReadsNoOtherFields) {
  const auto* checkpoint =
      pb::InteractionUpdate::descriptor()->FindFieldByName("prompt_suggestion");
  EXPECT_EQ(ParseToolBytes(*checkpoint, ""), nullptr);
  EXPECT_EQ(ParseToolBytes(*pb::ToolCall::descriptor()->FindFieldByName("mcp_tool_call"), ""),
            nullptr);
}

}  // namespace
}  // namespace cursorwire::agent
