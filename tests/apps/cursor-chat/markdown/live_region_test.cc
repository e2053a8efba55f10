#include "markdown/live_region.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "apps/cursor-chat/markdown/screen.h"

namespace cursor_chat::markdown {
namespace {

using Lines = std::vector<std::string>;

// Draws on a screen of 10 columns and 4 rows.
class Drawing {
 public:
  std::string Draw(const Lines& settled, const Lines& open) {
    const std::string bytes = region_.Draw(settled, open);
    screen_.Write(bytes);
    EXPECT_EQ(screen_.faults(), "");
    return bytes;
  }
  void Resize(size_t rows) {
    region_.Resize(std::nullopt, rows);
    screen_.Resize(10, rows);
  }
  void Rewrap(size_t columns, size_t rows) {
    region_.Resize(columns, rows);
    screen_.Rewrap(columns, rows);
  }
  std::string Text() const { return screen_.Text(); }
  const Screen& screen() const { return screen_; }

 private:
  LiveRegion region_{4};
  Screen screen_{10, 4};
};

TEST(LiveRegion, DrawsAgainFromTheFirstLineThatHasChanged) {
  Drawing drawing;
  EXPECT_EQ(drawing.Draw({}, {"a", "b"}), "a\nb");
  EXPECT_EQ(drawing.Draw({}, {"a", "c", "d"}), "\r\x1b[Kc\nd");
  EXPECT_EQ(drawing.Draw({}, {"a", "c", "d"}), "");
  EXPECT_EQ(drawing.Draw({}, {"x", "c", "d"}), "\r\x1b[2A\x1b[Kx\n\x1b[Kc\n\x1b[Kd");
  EXPECT_EQ(drawing.Text(), "x\nc\nd\n");
}

TEST(LiveRegion, WritesOnlyWhatTheLastLineHasMore) {
  Drawing drawing;
  drawing.Draw({}, {"a", "b"});
  EXPECT_EQ(drawing.Draw({}, {"a", "bc", "d"}), "c\nd");
  EXPECT_EQ(drawing.Draw({"a", "bc", "de"}, {}), "e\n");
  drawing.Draw({}, {"e"});
  EXPECT_EQ(drawing.Draw({}, {"e\xCC\x81"}), "\r\x1b[Ke\xCC\x81");
  EXPECT_EQ(drawing.Text(), "a\nbc\nde\ne\xCC\x81\n");
}

TEST(LiveRegion, ContinuesBelowWhatStays) {
  Drawing drawing;
  drawing.Draw({}, {"a"});
  EXPECT_EQ(drawing.Draw({}, {"a", "b"}), "\nb");
  EXPECT_EQ(drawing.Draw({"a", "b"}, {"c"}), "\nc");
  EXPECT_EQ(drawing.Draw({"c"}, {}), "\n");
  EXPECT_EQ(drawing.Draw({}, {}), "");
  EXPECT_EQ(drawing.Text(), "a\nb\nc\n");
  EXPECT_TRUE(drawing.screen().at_line_start());
}

TEST(LiveRegion, ErasesLinesThatAreGone) {
  Drawing drawing;
  drawing.Draw({}, {"a", "b", "c"});
  drawing.Draw({}, {"a"});
  EXPECT_EQ(drawing.Text(), "a\n");
  drawing.Draw({}, {"a", "b", "c"});
  drawing.Draw({"a", "b"}, {});
  EXPECT_EQ(drawing.Text(), "a\nb\n");
  EXPECT_TRUE(drawing.screen().at_line_start());
  drawing.Draw({}, {"c", "d"});
  drawing.Draw({}, {});
  EXPECT_EQ(drawing.Text(), "a\nb\n");
}

TEST(LiveRegion, DrawsTheLastLinesOfWhatTheScreenDoesNotHold) {
  Drawing drawing;
  drawing.Draw({"0"}, {"1", "2", "3", "4", "5"});
  EXPECT_EQ(drawing.Text(), "0\n3\n4\n5\n");
  drawing.Draw({}, {"1", "2", "3", "4", "5", "6"});
  EXPECT_EQ(drawing.Text(), "0\n4\n5\n6\n");
  drawing.Draw({"1", "2", "3", "4", "5", "6"}, {"7"});
  EXPECT_EQ(drawing.Text(), "0\n1\n2\n3\n4\n5\n6\n7\n");
}

TEST(LiveRegion, StaysOnAScreenThatHasBecomeSmaller) {
  Drawing drawing;
  drawing.Draw({"0"}, {"1", "2", "3"});
  drawing.Resize(2);
  drawing.Draw({}, {"1", "2", "3"});
  EXPECT_EQ(drawing.Text(), "0\n1\n3\n");
  drawing.Draw({"1", "2", "3"}, {});
  EXPECT_EQ(drawing.Text(), "0\n1\n1\n2\n3\n");
}

TEST(LiveRegion, LeavesNoRowOfWhatTheTerminalHasWrappedAnew) {
  Drawing drawing;
  drawing.Draw({"settled"}, {"abcdefgh", "\x1b[1mij\x1b[0mk"});
  drawing.Rewrap(4, 8);
  EXPECT_EQ(drawing.Text(), "sett\nled\nabcd\nefgh\nijk\n");
  drawing.Draw({}, {"abc", "def", "ghi", "jk"});
  EXPECT_EQ(drawing.Text(), "sett\nled\nabc\ndef\nghi\njk\n");
  drawing.Draw({"abc", "def", "ghi", "jkl"}, {});
  EXPECT_EQ(drawing.Text(), "sett\nled\nabc\ndef\nghi\njkl\n");
}

TEST(LiveRegion, CountsRowsByTheWidthOfCharacters) {
  Drawing drawing;
  drawing.Draw({"0"}, {"\xE5\xBF\xAB\xE9\x80\x9F\xE5\xBF\xAB"
                       "d"});  // 2, 2, 2 and 1 columns
  drawing.Rewrap(3, 8);
  drawing.Draw({}, {"x"});
  EXPECT_EQ(drawing.Text(), "0\nx\n");
}

TEST(LiveRegion, GoesNoHigherThanTheScreenOfWhatWasWrappedAnew) {
  Drawing drawing;
  drawing.Draw({}, {"abcdefgh", "ijklmnop"});
  drawing.Rewrap(2, 3);
  EXPECT_EQ(drawing.Draw({}, {"a", "b"}), "\r\x1b[2A\x1b[Ka\n\x1b[Kb\x1b[J");
}

}  // namespace
}  // namespace cursor_chat::markdown
