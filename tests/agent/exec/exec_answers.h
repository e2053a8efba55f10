#ifndef CURSORWIRE_TESTS_AGENT_EXEC_EXEC_ANSWERS_H_
#define CURSORWIRE_TESTS_AGENT_EXEC_EXEC_ANSWERS_H_

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "agent/v1/exec.pb.h"
#include "agent/v1/run.pb.h"
#include "support/hex.h"
#include "support/proto_text.h"

namespace cursorwire::agent {

namespace pb = ::agent::v1;
using test::Difference;
using test::FromHex;
using ::testing::IsEmpty;
using ::testing::Not;

inline constexpr uint32_t kId = 300;
inline constexpr char kExecId[] = "exec-7";

// The number of the field that is set in the oneof `message`; 0 if none is.
template <typename Message>
inline int NumberOf(const Message& message) {
  const google::protobuf::OneofDescriptor* oneof =
      Message::descriptor()->FindOneofByName("message");
  const google::protobuf::FieldDescriptor* field =
      message.GetReflection()->GetOneofFieldDescriptor(message, oneof);
  return field == nullptr ? 0 : field->number();
}

// One row of docs/protocol.md, execs.
struct Row {
  int number;
  const char* args;
  const char* result;  // REASON stands for the text that goes to the model
};
inline constexpr Row kRows[] = {
    {2, R"(shell_args { command: "ls" working_directory: "/w" timeout: 3 })",
     R"(shell_result { rejected { command: "ls" working_directory: "/w" reason: REASON } })"},
    {3, R"(write_args { path: "/w/f" file_text: "x" })",
     R"(write_result { rejected { path: "/w/f" reason: REASON } })"},
    {4, R"(delete_args { path: "/w/f" })",
     R"(delete_result { rejected { path: "/w/f" reason: REASON } })"},
    {5, R"(grep_args { pattern: "x" path: "/w" })", R"(grep_result { error { error: REASON } })"},
    {7, R"(read_args { path: "/w/f" })",
     R"(read_result { rejected { path: "/w/f" reason: REASON } })"},
    {8, R"(ls_args { path: "/w" })", R"(ls_result { rejected { path: "/w" reason: REASON } })"},
    {9, R"(diagnostics_args { path: "/w/f" })",
     R"(diagnostics_result { rejected { path: "/w/f" reason: REASON } })"},
    {11, R"(mcp_args { name: "mcp_p_tool" tool_call_id: "c" tool_name: "tool" })",
     R"(mcp_result { tool_not_found { name: "tool" } })"},
    {14, R"(shell_stream_args { command: "ls" working_directory: "/w" })",
     R"(shell_stream { rejected { command: "ls" working_directory: "/w" reason: REASON } })"},
    {16, R"(background_shell_spawn_args { command: "ls" working_directory: "/w" })",
     R"(background_shell_spawn_result {
          rejected { command: "ls" working_directory: "/w" reason: REASON } })"},
    {17, R"(list_mcp_resources_exec_args { server: "s" })",
     R"(list_mcp_resources_exec_result { rejected { reason: REASON } })"},
    {18, R"(read_mcp_resource_exec_args { server: "s" uri: "u:1" })",
     R"(read_mcp_resource_exec_result { rejected { uri: "u:1" reason: REASON } })"},
    {20, R"(fetch_args { url: "https://example.com" })",
     R"(fetch_result { error { url: "https://example.com" error: REASON } })"},
    {21, R"(record_screen_args {})", R"(record_screen_result { failure { error: REASON } })"},
    {22, R"(computer_use_args {})",
     R"(computer_use_result { error { error: REASON action_count: 0 duration_ms: 0 } })"},
    {23, R"(write_shell_stdin_args { shell_id: 3 chars: "x" })",
     R"(write_shell_stdin_result { error { error: REASON } })"},
    {29, R"(redacted_read_args { path: "/w/f" })",
     R"(redacted_read_result { rejected { path: "/w/f" reason: REASON } })"},
    {36, R"(mcp_state_exec_args {})", R"(mcp_state_exec_result { rejected { reason: REASON } })"},
};

// Every other row, and some numbers that no row has.
inline constexpr int kThrown[] = {6,  10, 12, 13, 24, 25, 26, 27, 28,   30,       31, 32,
                                  37, 38, 40, 41, 42, 43, 44, 45, 46,   47,       48, 49,
                                  50, 51, 52, 53, 54, 56, 58, 99, 1000, 536870911};

inline void ExpectStreamClose(const pb::AgentClientMessage& message, uint32_t id) {
  pb::AgentClientMessage expected;
  expected.mutable_exec_client_control_message()->mutable_stream_close()->set_id(id);
  EXPECT_EQ(Difference(expected, message), "");
}

// A throw of that id, and the message that closes the exec; no result.
inline void ExpectThrow(const std::vector<pb::AgentClientMessage>& answers, uint32_t id) {
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_FALSE(answers[0].has_exec_client_message());
  ASSERT_TRUE(answers[0].exec_client_control_message().has_throw_());
  EXPECT_EQ(answers[0].exec_client_control_message().throw_().id(), id);
  EXPECT_THAT(answers[0].exec_client_control_message().throw_().error(), Not(IsEmpty()));
  ExpectStreamClose(answers[1], id);
}

inline std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

// An exec with id 300, exec_id "x" and a length-delimited field of that number.
inline pb::ExecServerMessage WithUnknownField(int number) {
  pb::ExecServerMessage exec;
  EXPECT_TRUE(exec.ParseFromString(FromHex("08 AC 02") +
                                   Varint(static_cast<uint64_t>(number) << 3 | 2) +
                                   FromHex("00  7A 01 78")));
  return exec;
}

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_TESTS_AGENT_EXEC_EXEC_ANSWERS_H_
