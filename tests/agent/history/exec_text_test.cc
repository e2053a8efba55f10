#include "agent/history/exec_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cursorwire::agent {
namespace {

using ::testing::EndsWith;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(ExecText, NamesEachKindWithItsArguments) {
  struct Case {
    ExecArgs args;
    const char* name;
    const char* json;
  };
  const Case cases[] = {
      {ReadArgs{.path = "a", .offset = 3, .limit = 2}, "read",
       R"({"path":"a","offset":3,"limit":2})"},
      {LsArgs{.path = "."}, "ls", R"({"path":"."})"},
      {GrepArgs{.pattern = "x\"", .glob = "*.cc"}, "grep", R"({"pattern":"x\"","glob":"*.cc"})"},
      {WriteArgs{.path = "a", .content = "b\n"}, "write", R"({"path":"a","file_text":"b\n"})"},
      {DeleteArgs{.path = "a"}, "delete", R"({"path":"a"})"},
      {ShellArgs{.command = "ls", .working_directory = "/"}, "shell",
       R"({"command":"ls","working_directory":"/"})"},
      {BackgroundShellArgs{.command = "ls"}, "background_shell_spawn", R"({"command":"ls"})"},
      {WriteShellStdinArgs{.shell_id = 3, .chars = "y"}, "write_shell_stdin",
       R"({"shell_id":3,"chars":"y"})"},
      {FetchArgs{.url = "u"}, "fetch", R"({"url":"u"})"},
      {DiagnosticsArgs{.path = "p"}, "diagnostics", R"({"path":"p"})"},
      {ListMcpResourcesArgs{}, "list_mcp_resources", "{}"},
      {ReadMcpResourceArgs{.server = "s", .uri = "u"}, "read_mcp_resource",
       R"({"server":"s","uri":"u"})"},
      {ToolCall{.name = "now", .arguments_json = R"({"a":1})"}, "mcp_cursorwire_now", R"({"a":1})"},
  };
  static_assert(std::size(cases) == std::variant_size_v<ExecArgs>);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const HistoryToolCall call = ToHistory(c.args, "id");
    EXPECT_EQ(call.call_id, "id");
    EXPECT_EQ(call.name, c.name);
    EXPECT_EQ(call.arguments_json, c.json);
  }
}

TEST(ExecText, TellsEachResultAsText) {
  struct Case {
    const char* name;
    ExecOutput output;
    const char* text;
    bool is_error = false;
  };
  const Case cases[] = {
      {"read", ReadOutput{.content = "text"}, "text"},
      {"binary", ReadOutput{.content = "\xFF", .is_text = false, .file_bytes = 1},
       "[1 bytes that are not text]"},
      {"ls",
       LsOutput{
           .root = {.path = "/w", .folders = {{.path = "/w/d", .files = {"b"}}}, .files = {"a"}}},
       "/w/\na\n/w/d/\nb\n"},
      {"grep",
       GrepOutput{.files = {{.path = "a", .lines = {{.number = 3, .text = "x"}}},
                            {.path = "b", .count = 2}},
                  .total_files = 2,
                  .total_matches = 3},
       "a:3:x\nb: 2\n3 matches in 2 files"},
      {"write", WriteOutput{.path = "a", .lines = 2}, "wrote 2 lines to a"},
      {"delete", DeleteOutput{.path = "a"}, "deleted a"},
      {"shell", ShellOutput{.out = "o", .err = "e"}, "oe\nexit code 0"},
      {"failed shell", ShellOutput{.exit_code = 2}, "exit code 2", true},
      {"killed shell", ShellOutput{.signal = "SIGKILL"}, "ended by SIGKILL", true},
      {"shell in the background", ShellOutput{.backgrounded = BackgroundedShell{.shell_id = 4}},
       "goes on as shell 4"},
      {"background shell", BackgroundShellOutput{.shell_id = 4}, "started as shell 4"},
      {"stdin", WriteShellStdinOutput{}, "written"},
      {"fetch", FetchOutput{.content = "page"}, "page"},
      {"diagnostics", DiagnosticsOutput{.diagnostics = {{.line = 1, .column = 2, .message = "m"}}},
       "1:2: m\n"},
      {"resources", ListMcpResourcesOutput{.resources = {{.uri = "u", .name = "n"}}}, "u n\n"},
      {"resource", ReadMcpResourceOutput{.content = "c"}, "c"},
      {"tool", ToolResult{.content = {"a", ToolImage{}, "b"}}, "a\n[an image]\nb"},
      {"failed tool", ToolResult::Error("no"), "no", true},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    HistoryToolCall call;
    SetResult(c.output, {}, call);
    EXPECT_EQ(call.result, c.text);
    EXPECT_EQ(call.is_error, c.is_error);
  }
}

TEST(ExecText, JoinsPiecesWithTheRest) {
  HistoryToolCall call;
  PrintedText printed;
  printed.Append("first ");
  SetResult(ShellOutput{.out = "rest"}, printed, call);
  EXPECT_EQ(call.result, "first rest\nexit code 0");
  SetResult(absl::PermissionDeniedError("not allowed"), {}, call);
  EXPECT_EQ(call.result, "not allowed");
  EXPECT_TRUE(call.is_error);
}

// The end says what became of the command, and the notice how much it had printed.
TEST(ExecText, KeepsTheEndOfACommandThatPrintsMuch) {
  PrintedText printed;
  for (int i = 0; i < 100; ++i) printed.Append(std::string(1000, 'x'));
  HistoryToolCall call;
  SetResult(absl::CancelledError("stopped"), printed, call);
  EXPECT_LE(call.result.size(), kMaxHistoryResultBytes);
  const size_t kept = call.result.rfind('x') + 1;
  EXPECT_GT(kept, kMaxHistoryResultBytes - 100);
  EXPECT_EQ(call.result.substr(kept),
            "\n[cut: " + std::to_string(100'000 - kept) + " bytes left out]stopped");
  SetResult(absl::CancelledError(std::string(30'000, 'y')), printed, call);
  EXPECT_LE(call.result.size(), kMaxHistoryResultBytes);
  EXPECT_THAT(call.result, StartsWith("xxx"));
  EXPECT_THAT(call.result, EndsWith(" bytes left out]"));
}

// What is left out is counted in bytes of the text, not of what is told in their place.
TEST(ExecText, CountsBytesThatAreNotUtf8) {
  const std::string cut = BoundedResult(std::string(30'000, '\xFF'));
  EXPECT_LE(cut.size(), kMaxHistoryResultBytes);
  const size_t kept = cut.rfind("\uFFFD") / 3 + 1;
  EXPECT_GT(kept, 6000U);
  EXPECT_THAT(cut, EndsWith("[cut: " + std::to_string(30'000 - kept) + " bytes left out]"));
}

TEST(ExecText, BoundsArgumentsAndResults) {
  const HistoryToolCall call = ToHistory(
      WriteArgs{.path = "a", .content = std::string(kMaxHistoryArgumentsBytes, 'x')}, "id");
  EXPECT_THAT(call.arguments_json, StartsWith(R"({"truncated":true,"bytes":65563,"sha256":")"));
  EXPECT_NE(
      call.arguments_json,
      ToHistory(WriteArgs{.path = "a", .content = std::string(kMaxHistoryArgumentsBytes, 'y')},
                "id")
          .arguments_json);

  EXPECT_THAT(BoundedResult(std::string(kMaxHistoryResultBytes, 'x')), SizeIs(20'000));
  std::string longer;
  while (longer.size() <= kMaxHistoryResultBytes) longer += "\u00FC";
  const std::string cut = BoundedResult(longer);
  EXPECT_LE(cut.size(), kMaxHistoryResultBytes);
  EXPECT_THAT(cut, EndsWith("\u00FC\n[cut: 66 bytes left out]"));
  EXPECT_EQ(BoundedResult("a\xFF"), "a\uFFFD");
}

}  // namespace
}  // namespace cursorwire::agent
