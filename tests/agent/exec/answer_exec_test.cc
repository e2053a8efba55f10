#include "agent/exec/exec.h"

#include <absl/strings/str_split.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "agent/exec/exec_answers.h"
#include "agent/v1/exec.pb.h"
#include "agent/v1/run.pb.h"
#include "support/proto_text.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;
using test::Difference;
using test::FromText;
using ::testing::Not;

// One answer to a status: of its code, with the message "why".
struct FailureRow {
  const char* args;
  absl::StatusCode code;
  const char* results;  // of ExecClientMessage, one a line
};
using enum absl::StatusCode;
const FailureRow kFailures[] = {
    {R"(read_args { path: "/f" })", kPermissionDenied,
     R"(read_result { rejected { path: "/f" reason: "why" } })"},
    {R"(read_args { path: "/f" })", kNotFound, R"(read_result { file_not_found { path: "/f" } })"},
    {R"(read_args { path: "/f" })", kInvalidArgument,
     R"(read_result { invalid_file { path: "/f" reason: "why" } })"},
    {R"(read_args { path: "/f" })", kInternal,
     R"(read_result { error { path: "/f" error: "why" } })"},
    {R"(redacted_read_args { path: "/f" })", kNotFound,
     R"(redacted_read_result { file_not_found { path: "/f" } })"},
    {R"(ls_args { path: "/d" })", kNotFound, R"(ls_result { error { path: "/d" error: "why" } })"},
    {R"(grep_args { pattern: "x" })", kInvalidArgument,
     R"(grep_result { error { error: "why" } })"},
    {R"(write_args { path: "/f" file_text: "x" })", kResourceExhausted,
     R"(write_result { no_space { path: "/f" } })"},
    {R"(write_args { path: "/f" })", kUnknown,
     R"(write_result { error { path: "/f" error: "why" } })"},
    {R"(delete_args { path: "/f" })", kNotFound,
     R"(delete_result { file_not_found { path: "/f" } })"},
    {R"(delete_args { path: "/f" })", kInvalidArgument,
     R"(delete_result { not_file { path: "/f" actual_type: "why" } })"},
    {R"(delete_args { path: "/f" })", kUnknown,
     R"(delete_result { error { path: "/f" error: "why" } })"},
    {R"(shell_args { command: "c" working_directory: "/d" })", kUnavailable,
     R"(shell_result { spawn_error { command: "c" working_directory: "/d" error: "why" } })"},
    {R"(shell_stream_args { command: "c" working_directory: "/d" })", kUnavailable,
     R"(shell_stream { start {} }
shell_stream { stderr { data: "why" } }
shell_stream { exit { code: 127 cwd: "/d" } })"},
    {R"(mcp_args { name: "t" })", kUnavailable,
     R"(mcp_result { success { content { text { text: "why" } } is_error: true } })"},
    {R"(mcp_args { name: "t" })", kPermissionDenied,
     R"(mcp_result { success { content { text { text: "why" } } is_error: true } })"},
    {R"(background_shell_spawn_args { command: "c" working_directory: "/d" })", kUnavailable,
     R"(background_shell_spawn_result {
          error { command: "c" working_directory: "/d" error: "why" } })"},
    {R"(diagnostics_args { path: "/f" })", kNotFound,
     R"(diagnostics_result { file_not_found { path: "/f" } })"},
    {R"(diagnostics_args { path: "/f" })", kUnknown,
     R"(diagnostics_result { error { path: "/f" error: "why" } })"},
    {R"(list_mcp_resources_exec_args {})", kUnknown,
     R"(list_mcp_resources_exec_result { error { error: "why" } })"},
    {R"(mcp_state_exec_args {})", kUnknown, R"(mcp_state_exec_result { error { error: "why" } })"},
    {R"(read_mcp_resource_exec_args { uri: "u:1" })", kNotFound,
     R"(read_mcp_resource_exec_result { not_found { uri: "u:1" } })"},
    {R"(read_mcp_resource_exec_args { uri: "u:1" })", kUnknown,
     R"(read_mcp_resource_exec_result { error { uri: "u:1" error: "why" } })"},
};

// The results of an answer, which ends with the close of the exec.
std::vector<pb::ExecClientMessage> ResultsOf(const std::vector<pb::AgentClientMessage>& answers) {
  std::vector<pb::ExecClientMessage> results;
  for (const pb::AgentClientMessage& answer : answers) {
    if (answer.has_exec_client_message()) results.push_back(answer.exec_client_message());
  }
  EXPECT_EQ(results.size() + 1, answers.size());
  if (!answers.empty()) ExpectStreamClose(answers.back(), kId);
  return results;
}

void ExpectResults(const std::vector<pb::AgentClientMessage>& answers,
                   const std::string& expected) {
  const std::vector<pb::ExecClientMessage> results = ResultsOf(answers);
  std::vector<std::string> texts = absl::StrSplit(expected, "\nshell_stream");
  ASSERT_EQ(results.size(), texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) texts[i] = "shell_stream" + texts[i];
    auto result = FromText<pb::ExecClientMessage>(texts[i]);
    result.set_id(kId);
    result.set_exec_id(kExecId);
    EXPECT_EQ(Difference(result, results[i]), "");
  }
}

pb::ExecServerMessage WithIds(const char* args) {
  auto exec = FromText<pb::ExecServerMessage>(args);
  exec.set_id(kId);
  exec.set_exec_id(kExecId);
  return exec;
}

TEST(AnswerExec, TellsAStatusInTheTypeThatFitsIt) {
  for (const FailureRow& row : kFailures) {
    SCOPED_TRACE(std::string(row.args) + " " + absl::StatusCodeToString(row.code));
    ExpectResults(AnswerExec(WithIds(row.args), absl::Status(row.code, "why")), row.results);
  }
}

TEST(AnswerExec, ReplacesInvalidUtf8InAMessage) {
  const auto results =
      ResultsOf(AnswerExec(WithIds("ls_args {}"), absl::UnknownError("bad \xFF name")));
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].ls_result().error().error(), "bad \xEF\xBF\xBD name");
}

struct SuccessRow {
  const char* args;
  ExecOutput output;
  const char* results;
};

std::vector<SuccessRow> Successes() {
  return {
      {R"(read_args { path: "f" })",
       ReadOutput{.path = "/w/f", .content = "a\nb", .total_lines = 2, .file_bytes = 3},
       R"(read_result { success { path: "/w/f" content: "a\nb" total_lines: 2 file_size: 3 } })"},
      {R"(read_args { path: "f" })",
       ReadOutput{.path = "/w/f", .total_lines = int64_t{1} << 40, .file_bytes = int64_t{1} << 50},
       R"(read_result { success { path: "/w/f" content: "" total_lines: 2147483647
            file_size: 1125899906842624 } })"},
      {R"(redacted_read_args { path: "f" })",
       ReadOutput{.path = "/w/f",
                  .content = "b",
                  .total_lines = 9,
                  .file_bytes = 30,
                  .truncated = true,
                  .range_applied = true},
       R"(redacted_read_result { success { path: "/w/f" content: "b" total_lines: 9 file_size: 30
            truncated: true range_applied: true } })"},
      {R"(read_args { path: "f" })",
       ReadOutput{.path = "/w/f", .content = "\xFF", .is_text = false, .file_bytes = 1},
       R"(read_result { success { path: "/w/f" data: "\377" file_size: 1 } })"},
      {R"(ls_args { path: "." })",
       LsOutput{.root = {.path = "/w",
                         .folders =
                             {{.path = "/w/d", .extension_counts = {{".cc", 3}}, .file_count = 3}},
                         .files = {"a.txt"},
                         .listed = true,
                         .file_count = 4}},
       R"(ls_result { success { directory_tree_root {
            abs_path: "/w" children_were_processed: true num_files: 4
            children_files { name: "a.txt" }
            children_dirs { abs_path: "/w/d" num_files: 3
                            full_subtree_extension_counts { key: ".cc" value: 3 } } } } })"},
      {R"(ls_args { path: "." })", LsOutput{.root = {.path = "/w"}, .timed_out = true},
       R"(ls_result { timeout { directory_tree_root { abs_path: "/w" } } })"},
      {R"(grep_args { pattern: "x" path: "." head_limit: 1 })",
       GrepOutput{
           .root = "/w",
           .files = {{.path = "a",
                      .lines = {{.number = 7, .text = "ax"},
                                {.number = 8, .text = "b", .truncated = true, .is_context = true}},
                      .count = 1}},
           .total_files = 1,
           .total_matches = 3,
           .truncated = true,
           .head_limit_applied = 1},
       R"(grep_result { success { pattern: "x" path: "." output_mode: "content"
            workspace_results { key: "/w" value { content {
              matches { file: "a" matches { line_number: 7 content: "ax" }
                        matches { line_number: 8 content: "b" content_truncated: true
                                  is_context_line: true } }
              total_lines: 2 total_matched_lines: 3 client_truncated: true
              head_limit_applied: 1 } } } } })"},
      {R"(grep_args { pattern: "x" output_mode: "files_with_matches" })",
       GrepOutput{.root = "/w",
                  .files = {{.path = "a"}, {.path = "b"}},
                  .total_files = 2,
                  .offset_applied = 0},
       R"(grep_result { success { pattern: "x" output_mode: "files_with_matches"
            workspace_results { key: "/w" value { files {
              files: "a" files: "b" total_files: 2 offset_applied: 0 } } } } })"},
      {R"(grep_args { pattern: "x" output_mode: "count" })",
       GrepOutput{.root = "/w",
                  .files = {{.path = "a", .count = 5}},
                  .total_files = 1,
                  .total_matches = 5},
       R"(grep_result { success { pattern: "x" output_mode: "count"
            workspace_results { key: "/w" value { count {
              counts { file: "a" count: 5 } total_files: 1 total_matches: 5 } } } } })"},
      // Files by their names alone.
      {R"(grep_args { glob: "*.cc" output_mode: "content" })",
       GrepOutput{.root = "/w", .files = {{.path = "a.cc"}}, .total_files = 1},
       R"(grep_result { success { output_mode: "files_with_matches"
            workspace_results { key: "/w" value { files {
              files: "a.cc" total_files: 1 } } } } })"},
      {R"(write_args { path: "f" })",
       WriteOutput{.path = "/w/f", .lines = 1, .file_bytes = 2, .content_after = "a\n"},
       R"(write_result { success { path: "/w/f" lines_created: 1 file_size: 2
            file_content_after_write: "a\n" } })"},
      {R"(delete_args { path: "f" })",
       DeleteOutput{.path = "f", .deleted_file = "/w/f", .file_bytes = 2, .previous_content = "a"},
       R"(delete_result { success { path: "f" deleted_file: "/w/f" file_size: 2
            prev_content: "a" } })"},
      {R"(shell_args { command: "c" working_directory: "/d" })",
       ShellOutput{.out = "o", .err = "e", .duration = std::chrono::milliseconds(7)},
       R"(shell_result { sandbox_policy { type: TYPE_INSECURE_NONE }
            success { command: "c" working_directory: "/d" stdout: "o" stderr: "e"
            execution_time: 7 } })"},
      {R"(shell_args { command: "c" })", ShellOutput{.exit_code = 3, .signal = ""},
       R"(shell_result { sandbox_policy { type: TYPE_INSECURE_NONE }
            failure { command: "c" exit_code: 3 } })"},
      {R"(shell_args { command: "c" })", ShellOutput{.exit_code = 0, .signal = "SIGKILL"},
       R"(shell_result { sandbox_policy { type: TYPE_INSECURE_NONE }
            failure { command: "c" signal: "SIGKILL" } })"},
      {R"(shell_args { command: "c" })",
       ShellOutput{.exit_code = 137,
                   .signal = "SIGKILL",
                   .out = "o",
                   .duration = std::chrono::milliseconds(50),
                   .timed_out = true},
       R"(shell_result { sandbox_policy { type: TYPE_INSECURE_NONE }
            failure { command: "c" exit_code: 137 signal: "SIGKILL" stdout: "o"
            execution_time: 50 abort_reason: SHELL_ABORT_REASON_TIMEOUT aborted: true } })"},
      {R"(shell_args { command: "c" working_directory: "/d" })",
       ShellOutput{
           .out = "o",
           .backgrounded =
               BackgroundedShell{.shell_id = 3, .process_id = 9, .output_path = "/tmp/t/3.txt"}},
       R"(shell_result { sandbox_policy { type: TYPE_INSECURE_NONE }
            success { command: "c" working_directory: "/d" stdout: "o" shell_id: 3
            pid: 9 background_reason: SHELL_BACKGROUND_REASON_TIMEOUT }
            is_background: true terminals_folder: "/tmp/t" pid: 9 })"},
      {R"(shell_stream_args { command: "c" working_directory: "/d" })",
       ShellOutput{.backgrounded =
                       BackgroundedShell{
                           .shell_id = 3, .process_id = 9, .reason = BackgroundReason::kRequested}},
       R"(shell_stream { start { sandbox_policy { type: TYPE_INSECURE_NONE } } }
shell_stream { backgrounded { shell_id: 3 command: "c" working_directory: "/d" pid: 9
    reason: SHELL_BACKGROUND_REASON_USER_REQUEST } })"},
      {R"(shell_stream_args { command: "c" working_directory: "/d" })",
       ShellOutput{
           .last_folder = "/e",
           .output_location = OutputLocation{.path = "/tmp/f", .file_bytes = 100, .lines = 2}},
       R"(shell_stream { start { sandbox_policy { type: TYPE_INSECURE_NONE } } }
shell_stream { exit { cwd: "/e" local_execution_time_ms: 0
    output_location { file_path: "/tmp/f" size_bytes: 100 line_count: 2 } } })"},
      {R"(shell_stream_args { command: "c" working_directory: "/d" })",
       ShellOutput{
           .exit_code = 2, .out = "o", .err = "e", .duration = std::chrono::milliseconds(7)},
       R"(shell_stream { start { sandbox_policy { type: TYPE_INSECURE_NONE } } }
shell_stream { stdout { data: "o" } }
shell_stream { stderr { data: "e" } }
shell_stream { exit { code: 2 cwd: "/d" local_execution_time_ms: 7 } })"},
      {R"(shell_args { command: "c" })", ShellOutput{.signal = "\xFF"},
       R"(shell_result { sandbox_policy { type: TYPE_INSECURE_NONE }
            failure { command: "c" signal: "\357\277\275" } })"},
      // Not a success, although the exit code says nothing.
      {R"(shell_stream_args { command: "c" })", ShellOutput{.signal = "SIGKILL"},
       R"(shell_stream { start { sandbox_policy { type: TYPE_INSECURE_NONE } } }
shell_stream { exit { code: 128 local_execution_time_ms: 0 } })"},
      {R"(background_shell_spawn_args { command: "c" working_directory: "/d" })",
       BackgroundShellOutput{.shell_id = 4, .process_id = 99},
       R"(background_shell_spawn_result { success { shell_id: 4 command: "c"
            working_directory: "/d" pid: 99 } })"},
      {R"(write_shell_stdin_args { shell_id: 4 chars: "x" })",
       WriteShellStdinOutput{.output_bytes_before = 12},
       R"(write_shell_stdin_result { success { shell_id: 4
            terminal_file_length_before_input_written: 12 } })"},
      {R"(fetch_args { url: "u" })",
       FetchOutput{.content = "c", .status_code = 200, .content_type = "text/plain"},
       R"(fetch_result { success { url: "u" content: "c" status_code: 200
            content_type: "text/plain" } })"},
      {R"(diagnostics_args { path: "f" })",
       DiagnosticsOutput{.diagnostics = {{.severity = DiagnosticSeverity::kWarning,
                                          .line = 1,
                                          .column = 2,
                                          .end_line = 3,
                                          .end_column = 4,
                                          .message = "m",
                                          .source = "s",
                                          .code = "c"}}},
       R"(diagnostics_result { success { path: "f" total_diagnostics: 1 diagnostics {
            severity: DIAGNOSTIC_SEVERITY_WARNING message: "m" source: "s" code: "c"
            range { start { line: 1 column: 2 } end { line: 3 column: 4 } } } } })"},
      {R"(list_mcp_resources_exec_args {})",
       ListMcpResourcesOutput{.resources = {{.uri = "u:1", .name = "n", .server = "s"}}},
       R"(list_mcp_resources_exec_result { success {
            resources { uri: "u:1" name: "n" server: "s" } } })"},
      {R"(read_mcp_resource_exec_args { uri: "u:1" })",
       ReadMcpResourceOutput{.content = "t", .mime_type = "text/plain"},
       R"(read_mcp_resource_exec_result { success { uri: "u:1" text: "t"
            mime_type: "text/plain" } })"},
      {R"(read_mcp_resource_exec_args { uri: "u:1" })",
       ReadMcpResourceOutput{.content = "\x01", .is_text = false},
       R"(read_mcp_resource_exec_result { success { uri: "u:1" blob: "\001" } })"},
      {R"(mcp_args { name: "t" })", ToolResult::Text("t"),
       R"(mcp_result { success { content { text { text: "t" } } } })"},
  };
}

TEST(AnswerExec, HandsOutTheOutputInTheTypeOfTheKind) {
  for (const SuccessRow& row : Successes()) {
    SCOPED_TRACE(row.results);
    ExpectResults(AnswerExec(WithIds(row.args), row.output), row.results);
  }
}

TEST(AnswerExec, ThrowsForAnOutputOfAnotherKind) {
  for (const SuccessRow& row : Successes()) {
    SCOPED_TRACE(row.args);
    // No kind has both outputs.
    const bool is_ls = std::holds_alternative<LsOutput>(row.output);
    ExpectThrow(
        AnswerExec(WithIds(row.args), is_ls ? ExecOutput(FetchOutput{}) : ExecOutput(LsOutput{})),
        kId);
  }
}

constexpr char kStream[] = R"(shell_stream_args { command: "c" working_directory: "/d" })";

// The events of pieces, which leave the exec open.
void ExpectPieces(const std::vector<pb::AgentClientMessage>& messages,
                  const std::vector<const char*>& expected) {
  ASSERT_EQ(messages.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    pb::ExecClientMessage result;
    *result.mutable_shell_stream() = FromText<pb::ShellStream>(expected[i]);
    result.set_id(kId);
    result.set_exec_id(kExecId);
    EXPECT_EQ(Difference(result, messages[i].exec_client_message()), "");
  }
}

TEST(ShellPieces, StartTheStreamOnceAndLeaveItOpen) {
  const pb::ExecServerMessage exec = WithIds(kStream);
  ExpectPieces(
      ShellPieces(exec, "o", "", StreamState::kNew),
      {"start { sandbox_policy { type: TYPE_INSECURE_NONE } }", R"(stdout { data: "o" })"});
  ExpectPieces(ShellPieces(exec, "", "", StreamState::kNew),
               {"start { sandbox_policy { type: TYPE_INSECURE_NONE } }"});
  ExpectPieces(ShellPieces(exec, "o", "e", StreamState::kStarted),
               {R"(stdout { data: "o" })", R"(stderr { data: "e" })"});
  ExpectPieces(ShellPieces(exec, "", "\xFF", StreamState::kStarted),
               {R"(stderr { data: "\357\277\275" })"});
  ExpectPieces(ShellPieces(exec, "", "", StreamState::kStarted), {});
}

TEST(AnswerExec, EndsAStreamThatHasStarted) {
  ExpectResults(AnswerExec(WithIds(kStream), ShellOutput{.exit_code = 2, .out = "rest"},
                           StreamState::kStarted),
                R"(shell_stream { stdout { data: "rest" } }
shell_stream { exit { code: 2 cwd: "/d" local_execution_time_ms: 0 } })");
  ExpectResults(AnswerExec(WithIds(kStream), ShellOutput{}, StreamState::kStarted),
                R"(shell_stream { exit { cwd: "/d" local_execution_time_ms: 0 } })");
}

TEST(AnswerExec, RefusesNoStreamThatHasStarted) {
  for (const absl::StatusCode code : {kPermissionDenied, kUnavailable}) {
    SCOPED_TRACE(absl::StatusCodeToString(code));
    ExpectResults(AnswerExec(WithIds(kStream), absl::Status(code, "why"), StreamState::kStarted),
                  R"(shell_stream { stderr { data: "why" } }
shell_stream { exit { code: 127 cwd: "/d" } })");
  }
}

}  // namespace
}  // namespace cursorwire::agent
