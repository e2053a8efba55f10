#include "terminal_session/tool_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "terminal_session/spinner.h"

namespace cursor_chat {
namespace {

using cursorwire::ToolCallInfo;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr ScreenStyle kPlain{.decorated = false, .unicode = false};
constexpr ScreenStyle kColors{.decorated = true, .unicode = true};

TEST(ToolText, SaysWhatTheToolIsUsedOn) {
  const struct {
    ToolCallInfo call;
    const char* text;
  } cases[] = {
      {{.kind = "read", .arguments_json = R"({"path":"src/a.cc"})"}, "read src/a.cc"},
      {{.kind = "shell", .arguments_json = R"({"path":"x","command":"make test"})"},
       "shell make test"},
      {{.kind = "mcp", .name = "weather", .arguments_json = R"({"city":"Bern"})"},
       R"(weather {"city":"Bern"})"},
      {{.kind = "ls", .arguments_json = "{}"}, "ls"},
      {{.arguments_json = "no JSON"}, "an unknown tool no JSON"},
  };
  for (const auto& c : cases) EXPECT_EQ(ToolText(c.call), c.text);
}

TEST(ToolLines, SayWhetherItWorked) {
  ToolCallInfo call{.kind = "read", .arguments_json = R"({"path":"a"})"};
  EXPECT_EQ(ToolLines(call, 80, kPlain), "* read a (no result)\n");
  call.result_json = R"({"success":{"content":"x"}})";
  EXPECT_EQ(ToolLines(call, 80, kPlain), "* read a\n");
  EXPECT_EQ(ToolLines(call, 80, kColors), "\033[32m\u25CF\033[0m \033[2mread a\033[0m\n");
  call.result_json = R"({"rejected":{"reason":"no"}})";
  EXPECT_EQ(ToolLines(call, 80, kPlain), "* read a (failed)\n");
  call.result_json = R"({"success":{"is_error":true}})";
  EXPECT_EQ(ToolLines(call, 80, kPlain), "* read a (failed)\n");
}

TEST(ToolLines, FitTheScreenAndShowEveryCharacter) {
  const ToolCallInfo call{
      .kind = "shell",
      .arguments_json = R"({"command":"echo \u001b[2J\n)" + std::string(200, 'x') + R"("})",
      .result_json = R"({"success":{}})"};
  const std::string line = ToolLines(call, 60, kPlain);
  EXPECT_THAT(line, HasSubstr("echo <U+001B>[2J<U+000A>x"));
  EXPECT_THAT(line, EndsWith("x...\n"));
  EXPECT_LE(line.size(), 60u);
}

TEST(ToolLines, ShowADiffInColours) {
  ToolCallInfo call{
      .kind = "edit",
      .arguments_json = R"({"path":"a"})",
      .result_json = R"({"success":{"diff_string":"@@ -1 +1 @@\n-old\n+new\n same\n"}})"};
  EXPECT_EQ(ToolLines(call, 80, kPlain),
            "* edit a\n    @@ -1 +1 @@\n    -old\n    +new\n     same\n");
  EXPECT_THAT(ToolLines(call, 80, kColors), HasSubstr("    \033[31m-old\033[0m\n"
                                                      "    \033[32m+new\033[0m\n"));
  std::string many;
  for (size_t i = 0; i < kMaxDiffLines + 5; ++i) many += "+x\\n";
  call.result_json = R"({"success":{"diff_string":")" + many + R"("}})";
  EXPECT_THAT(ToolLines(call, 80, kPlain), EndsWith("    ... 5 more lines\n"));
}

TEST(SpinnerLine, SaysWhatTheAgentDoes) {
  using std::chrono::seconds;
  EXPECT_EQ(SpinnerLine({.doing = "thinking"}, seconds(3), 0, 80, kPlain), "| thinking (3 s)");
  EXPECT_EQ(SpinnerLine({.doing = "thinking", .tokens = 12}, seconds(3), 1, 80, kPlain),
            "/ thinking (3 s, 12 tokens)");
  EXPECT_EQ(SpinnerLine({.doing = "thinking"}, seconds(3), 10, 80, kColors),
            "\033[36m\u280B\033[0m \033[2mthinking (3 s)\033[0m");
  const std::string cut =
      SpinnerLine({.doing = "shell " + std::string(100, 'x') + "\033"}, seconds(3), 0, 40, kPlain);
  EXPECT_LT(cut.size(), 40u);
  EXPECT_THAT(cut, HasSubstr("x... (3 s)"));
  EXPECT_THAT(SpinnerLine({.doing = "a\nb"}, seconds(0), 0, 80, kPlain), Not(HasSubstr("\n")));
}

}  // namespace
}  // namespace cursor_chat
