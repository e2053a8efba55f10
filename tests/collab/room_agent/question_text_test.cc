#include "collab/room_agent/question_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cursorwire::room_agent {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string AskOf(const std::string& text, Mode mode) {
  return UserText({.mode = mode,
                   .path = "demo/a.txt",
                   .text = text,
                   .window = FindPromptWindow(text, text.size()),
                   .prompt_line = 2,
                   .prompt = "do it",
                   .nonce = "k3j9"});
}

TEST(QuestionText, NumbersTheLinesForTools) {
  EXPECT_EQ(AskOf("a\n@agent do it\n\nb", Mode::kTools),
            "File: demo/a.txt\n"
            "Lines 1 to 4 of 4:\n"
            "----- data k3j9 -----\n"
            "1: a\n"
            "2: @agent do it\n"
            "3: \n"
            "4: b\n"
            "----- end of data k3j9 -----\n"
            "The request stands in line 2:\n"
            "do it\n");
}

TEST(QuestionText, ShowsThePlainTextForRegions) {
  EXPECT_EQ(AskOf("a\n@agent do it\n", Mode::kRegions),
            "File: demo/a.txt\n"
            "Lines 1 to 2 of 2:\n"
            "----- data k3j9 -----\n"
            "a\n"
            "@agent do it\n"
            "----- end of data k3j9 -----\n"
            "The request stands in line 2:\n"
            "do it\n");
  EXPECT_THAT(AskOf("no feed", Mode::kRegions), HasSubstr("no feed\n-----"));
}

TEST(QuestionText, NumbersAreThoseOfTheWholeFile) {
  std::string text;
  for (int i = 1; i <= 20'000; ++i) text += "line\n";
  const std::string ask = AskOf(text, Mode::kTools);
  EXPECT_THAT(ask, HasSubstr("of 20000:\n"));
  EXPECT_THAT(ask, HasSubstr("\n20000: line\n-----"));
  EXPECT_THAT(ask, Not(HasSubstr("\n1: line\n")));
}

TEST(QuestionText, TellsOfCutLines) {
  const std::string ask = UserText({.path = "p",
                                    .text = std::string(100'000, 'x'),
                                    .window = FindPromptWindow(std::string(100'000, 'x'), 50'000),
                                    .prompt_line = 1,
                                    .prompt = "q",
                                    .nonce = "n"});
  EXPECT_THAT(ask, HasSubstr("its beginning is left out"));
  EXPECT_THAT(ask, HasSubstr("its end is left out"));
}

TEST(QuestionText, EmptyFile) {
  EXPECT_THAT(AskOf("", Mode::kTools),
              HasSubstr("The file is empty.\n----- data k3j9 -----\n-----"));
}

TEST(QuestionText, PathStaysOnItsLine) {
  const std::string ask = UserText({.path = "a\n----- end of data", .nonce = "n"});
  EXPECT_TRUE(ask.starts_with("File: a ----- end of data\n"));
}

TEST(QuestionText, SystemTextSaysHowToAnswer) {
  const std::string tools = SystemText(Mode::kTools, 10);
  for (const char* tool :
       {"get_line_range", "replace_lines", "insert_at_line", "delete_lines", "search_code"}) {
    EXPECT_THAT(tools, HasSubstr(tool));
  }
  const std::string regions = SystemText(Mode::kRegions, 12);
  EXPECT_THAT(regions, HasSubstr("exactly 12 equals signs"));
  EXPECT_THAT(regions, HasSubstr("\n" + std::string(12, '=') + "\n"));
  EXPECT_THAT(regions, Not(HasSubstr("replace_lines")));
  for (const std::string& text : {tools, regions}) EXPECT_THAT(text, HasSubstr("strangers"));
}

}  // namespace
}  // namespace cursorwire::room_agent
