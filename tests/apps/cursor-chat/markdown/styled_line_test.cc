#include "markdown/styled_line.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace cursor_chat::markdown {
namespace {

using ::testing::ElementsAre;

StyledLine Plain(const std::string& text) { return {{text, {}}}; }

std::vector<std::string> Wrapped(const std::string& text, size_t columns) {
  std::vector<std::string> lines;
  for (const StyledLine& line : WrapWords(Plain(text), columns)) {
    lines.push_back(Paint(line, Colors::kNone));
  }
  return lines;
}

TEST(WrapWords, BreaksBetweenWords) {
  EXPECT_THAT(Wrapped("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(Wrapped("one two three", 6), ElementsAre("one", "two", "three"));
  EXPECT_THAT(Wrapped("", 5), ElementsAre(""));
}

TEST(WrapWords, CutsAWordThatIsTooLong) {
  EXPECT_THAT(Wrapped("a abcdefgh b", 3), ElementsAre("a", "abc", "def", "gh", "b"));
}

TEST(WrapWords, BreaksBetweenWideCharactersAndNeverWithinOne) {
  EXPECT_THAT(Wrapped("中文中文", 5), ElementsAre("中文", "中文"));
  EXPECT_THAT(Wrapped("a中文", 4), ElementsAre("a中", "文"));
}

TEST(WrapWords, KeepsAccentsWithTheirLetter) {
  EXPECT_THAT(Wrapped("ae\xCC\x81i", 2), ElementsAre("ae\xCC\x81", "i"));
}

TEST(WrapWords, LeavesRoomForEmojiThatATerminalDoesNotJoin) {
  EXPECT_THAT(Wrapped("a 👨‍👩‍👧 b", 8), ElementsAre("a 👨‍👩‍👧", "b"));
  EXPECT_THAT(Wrapped("abc 👨‍👩‍👧", 8), ElementsAre("abc", "👨‍👩‍👧"));
}

TEST(WrapWords, KeepsLineBreaksOfTheText) {
  EXPECT_THAT(Wrapped("a \n b", 10), ElementsAre("a", " b"));
}

TEST(WrapWords, KeepsAWordOfTwoStylesTogether) {
  const StyledLine text = {{"one tw", {}}, {"o", {.bold = true}}};
  const std::vector<StyledLine> lines = WrapWords(text, 6);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(Paint(lines[1], Colors::kAnsi), "tw\x1b[1mo\x1b[0m");
}

TEST(CutLine, CutsAtTheWidth) {
  const std::vector<StyledLine> lines = CutLine(Plain("abc def中"), 4);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(Paint(lines[1], Colors::kNone), "def");
  EXPECT_EQ(Paint(lines[2], Colors::kNone), "中");
}

TEST(Paint, LeavesOutSpacesAtTheEndAndColoursIfThereAreNone) {
  const TextStyle style{.italic = true, .color = TextColor::kRed};
  EXPECT_EQ(Paint({{"a", style}, {"  ", {}}}, Colors::kAnsi), "\x1b[3;31ma\x1b[0m");
  EXPECT_EQ(Paint({{"a", style}, {"  ", {}}}, Colors::kNone), "a");
}

}  // namespace
}  // namespace cursor_chat::markdown
