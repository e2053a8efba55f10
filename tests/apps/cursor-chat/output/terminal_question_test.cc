#include "output/terminal_question.h"

#include <gmock/gmock.h>

#include <sstream>
#include <string>

namespace cursor_chat {
namespace {

using ::testing::Each;
using ::testing::EndsWith;
using ::testing::StartsWith;

TEST(QuestionText, HasAMarginForEachLineOfTheAgent) {
  const Question question = {.title = "may the agent run this command?",
                             .parts = {{"folder", "/home/ada"}, {"command", "ls\nrm -r x\n"}}};
  EXPECT_EQ(QuestionText(question, {.columns = 80, .rows = 24}),
            "cursor-chat: may the agent run this command?\n"
            "  folder  | /home/ada\n"
            "  command | ls\n"
            "          | rm -r x\n");
}

TEST(QuestionText, KeepsLongLinesWithinTheMargin) {
  const Question question = {.title = "t", .parts = {{"file", std::string(45, 'a')}}};
  EXPECT_EQ(QuestionText(question, {.columns = 40, .rows = 24}),
            "cursor-chat: t\n"
            "  file | " +
                std::string(30, 'a') +
                "\n"
                "       + " +
                std::string(15, 'a') + "\n");
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
    std::istringstream shown(
        QuestionText({.title = "t", .parts = {{"command", text}}}, {.columns = 60, .rows = 24}));
    std::vector<std::string> lines;
    for (std::string line; std::getline(shown, line);) lines.push_back(line);
    ASSERT_GE(lines.size(), 2u);
    EXPECT_EQ(lines.front(), "cursor-chat: t");
    lines.erase(lines.begin());
    EXPECT_THAT(lines, Each(StartsWith("  ")));
    for (const std::string& line : lines) {
      EXPECT_LT(line.size(), 60u);
      EXPECT_EQ(line.find_first_of("\x1b\r"), line.npos);
    }
  }
}

TEST(QuestionText, BeginsAgainAtItsEndWhereTheScreenDoesNotShowItAll) {
  const auto text = [](size_t lines) {
    std::string command = "touch x #";
    for (size_t i = 1; i < lines; ++i) command += "\n# " + std::to_string(i);
    return QuestionText({.title = "t", .parts = {{"folder", "/w"}, {"command", command}}},
                        {.columns = 80, .rows = 24});
  };
  // Title, folder and the line of the answer are on the screen, too.
  EXPECT_THAT(text(21), EndsWith("\n          | # 20\n"));
  EXPECT_THAT(text(22), EndsWith("\n          | # 21\n"
                                 "cursor-chat: these are 24 lines, more than the screen shows: "
                                 "scroll up. They begin with\n"
                                 "  folder  | /w\n"
                                 "  command | touch x #\n"
                                 "          | # 1\n"
                                 "          | # 2\n"));
}

TEST(IsTooLong, CountsBytesAndLinesOfTheScreen) {
  const auto is_too_long = [](const std::string& text, size_t columns, size_t rows = 100) {
    return IsTooLong({.title = "t", .parts = {{"c", text}}}, {.columns = columns, .rows = rows});
  };
  constexpr size_t kWide = 2 * kMaxQuestionBytes;
  EXPECT_FALSE(is_too_long(std::string(kMaxQuestionBytes, 'a'), kWide));
  EXPECT_TRUE(is_too_long(std::string(kMaxQuestionBytes + 1, 'a'), kWide));
  EXPECT_TRUE(is_too_long(std::string(kMaxQuestionBytes, 'a'), 80));
  // The title and the last line count.
  EXPECT_FALSE(is_too_long(std::string(kMaxQuestionLines - 2, '\n'), kWide));
  EXPECT_TRUE(is_too_long(std::string(kMaxQuestionLines - 1, '\n'), kWide));
  EXPECT_FALSE(is_too_long(std::string(kMaxQuestionScreens * 24 - 2, '\n'), kWide, 24));
  EXPECT_TRUE(is_too_long(std::string(kMaxQuestionScreens * 24 - 1, '\n'), kWide, 24));
}

}  // namespace
}  // namespace cursor_chat
