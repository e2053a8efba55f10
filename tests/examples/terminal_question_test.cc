#include "terminal_question.h"

#include <gmock/gmock.h>

#include <sstream>
#include <string>

namespace cursor_chat {
namespace {

using ::testing::Each;
using ::testing::StartsWith;

TEST(QuestionText, HasAMarginForEachLineOfTheAgent) {
  const Question question = {.title = "may the agent run this command?",
                             .parts = {{"folder", "/home/ada"}, {"command", "ls\nrm -r x\n"}}};
  EXPECT_EQ(QuestionText(question, 80),
            "cursor-chat: may the agent run this command?\n"
            "  folder  | /home/ada\n"
            "  command | ls\n"
            "          | rm -r x\n"
            "cursor-chat: y or n? [n] ");
}

TEST(QuestionText, KeepsLongLinesWithinTheMargin) {
  const Question question = {.title = "t", .parts = {{"file", std::string(45, 'a')}}};
  EXPECT_EQ(QuestionText(question, 40),
            "cursor-chat: t\n"
            "  file | " +
                std::string(30, 'a') +
                "\n"
                "       + " +
                std::string(15, 'a') +
                "\n"
                "cursor-chat: y or n? [n] ");
}

TEST(QuestionText, CannotBeForged) {
  const std::string texts[] = {
      "ls\x1b[2K\rcursor-chat: y or n? [n] ",
      "ls" + std::string(200, ' ') + "cursor-chat: may the agent read a file?",
      "ls\n\n\ncursor-chat: may the agent read a file?\n",
      "ls\xE2\x80\xA8"
      "cursor-chat: other",
  };
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    std::istringstream shown(QuestionText({.title = "t", .parts = {{"command", text}}}, 60));
    std::vector<std::string> lines;
    for (std::string line; std::getline(shown, line);) lines.push_back(line);
    ASSERT_GE(lines.size(), 3u);
    EXPECT_EQ(lines.front(), "cursor-chat: t");
    EXPECT_EQ(lines.back(), "cursor-chat: y or n? [n] ");
    lines.erase(lines.begin());
    lines.pop_back();
    EXPECT_THAT(lines, Each(StartsWith("  ")));
    for (const std::string& line : lines) {
      EXPECT_LT(line.size(), 60u);
      EXPECT_EQ(line.find_first_of("\x1b\r"), line.npos);
    }
  }
}

TEST(IsTooLong, CountsBytesAndLinesOfTheScreen) {
  const auto is_too_long = [](const std::string& text, size_t columns) {
    return IsTooLong({.title = "t", .parts = {{"c", text}}}, columns);
  };
  constexpr size_t kWide = 2 * kMaxQuestionBytes;
  EXPECT_FALSE(is_too_long(std::string(kMaxQuestionBytes, 'a'), kWide));
  EXPECT_TRUE(is_too_long(std::string(kMaxQuestionBytes + 1, 'a'), kWide));
  EXPECT_TRUE(is_too_long(std::string(kMaxQuestionBytes, 'a'), 80));
  // The title and the last line count.
  EXPECT_FALSE(is_too_long(std::string(kMaxQuestionLines - 2, '\n'), kWide));
  EXPECT_TRUE(is_too_long(std::string(kMaxQuestionLines - 1, '\n'), kWide));
}

}  // namespace
}  // namespace cursor_chat
