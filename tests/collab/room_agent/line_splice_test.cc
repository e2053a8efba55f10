#include "collab/room_agent/line_splice.h"

#include <gtest/gtest.h>

#include <string>

namespace cursorwire::room_agent {
namespace {

TEST(NormalizeLines, LeavesTheLastLineFeedOut) {
  EXPECT_EQ(NormalizeLines(""), std::nullopt);
  EXPECT_EQ(NormalizeLines("x"), "x");
  EXPECT_EQ(NormalizeLines("x\n"), "x");
  EXPECT_EQ(NormalizeLines("\n"), "");
  EXPECT_EQ(NormalizeLines("\r\n"), "");
  EXPECT_EQ(NormalizeLines("a\r\nb\r\n\r\n"), "a\nb\n");
  EXPECT_EQ(NormalizeLines("a\rb"), "a\rb");
  EXPECT_EQ(NormalizeLines("\xff\n"), "\xef\xbf\xbd");
}

TEST(CountLines, CountsALastOneWithoutLineFeed) {
  EXPECT_EQ(CountLines(""), 0U);
  EXPECT_EQ(CountLines("\n"), 1U);
  EXPECT_EQ(CountLines("a"), 1U);
  EXPECT_EQ(CountLines("a\nb"), 2U);
  EXPECT_EQ(CountLines("a\n\n"), 2U);
}

TEST(SpliceLines, JoinsNoLineWithAnother) {
  const struct {
    const char* name;
    std::string text;
    ByteRange range;
    std::optional<std::string> lines;
    std::string result;
    std::string new_lines;
    bool ends_open = false;
  } kCases[] = {
      {"in the middle", "a\nb\nc\n", {2, 4}, "X", "a\nX\nc\n", "X"},
      {"two for one", "a\nb\nc\n", {2, 4}, "X\nY", "a\nX\nY\nc\n", "X\nY"},
      {"an empty one", "a\nb\nc\n", {2, 4}, "", "a\n\nc\n", ""},
      {"the last one", "a\nb", {2, 3}, "X", "a\nX", "X"},
      {"the last one by an empty one", "a\nb", {2, 3}, "", "a\n\n", ""},
      {"the last one by one and an empty one", "a\nb", {2, 3}, "X\n", "a\nX\n\n", "X\n"},
      {"all of it", "a\nb", {0, 3}, "X", "X", "X"},
      {"insert at the start", "a\n", {0, 0}, "X", "X\na\n", "X"},
      {"insert an empty one", "a\n", {0, 0}, "", "\na\n", ""},
      {"append", "a\n", {2, 2}, "X", "a\nX\n", "X"},
      {"append without line feed", "a", {1, 1}, "X", "a\nX", "X"},
      {"append an empty one without line feed", "a", {1, 1}, "", "a\n\n", ""},
      {"into nothing", "", {0, 0}, "X", "X\n", "X"},
      {"into nothing that had no line feed", "", {0, 0}, "X", "X", "X", true},
      {"an empty one into nothing", "", {0, 0}, "", "\n", "", true},
      {"behind a line", "a\nb\n", {1, 1}, "X", "a\nX\nb\n", "X"},
      {"its end is joined", "a\nbc\n", {2, 3}, "X", "a\nX\nc\n", "X"},
      {"its begin is joined", "ab\nc\n", {1, 3}, "X", "a\nX\nc\n", "X"},
      {"both are joined", "abc\n", {1, 2}, "X", "a\nX\nc\n", "X"},
      {"equal lines around", "a\nb\nc\n", {0, 6}, "a\nX\nc", "a\nX\nc\n", "a\nX\nc"},
      {"take one", "a\nb\nc\n", {2, 4}, std::nullopt, "a\nc\n", ""},
      {"take the last one", "a\nb", {2, 3}, std::nullopt, "a", ""},
      {"take the last one behind an empty one", "a\n\nb", {3, 4}, std::nullopt, "a\n\n", ""},
      {"take the last one behind an empty first one", "\nb", {1, 2}, std::nullopt, "\n", ""},
      {"take all", "a\nb", {0, 3}, std::nullopt, "", ""},
      {"take nothing", "a\nb", {2, 2}, std::nullopt, "a\nb", ""},
      {"take what is joined behind", "ab\n", {0, 1}, std::nullopt, "b\n", ""},
      {"take what is joined in front", "ab\nc", {1, 3}, std::nullopt, "a\nc", ""},
      {"take what joins two lines", "abc\n", {1, 2}, std::nullopt, "a\nc\n", ""},
      {"take what ends before a line feed", "a\nb\n", {2, 3}, std::nullopt, "a\n", ""},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const LineSplice splice = SpliceLines(c.text, c.range, c.lines, c.ends_open);
    std::string text = c.text;
    text.replace(splice.at, splice.count, splice.text);
    EXPECT_EQ(text, c.result);
    ASSERT_LE(splice.end, text.size());
    EXPECT_EQ(text.substr(splice.begin, splice.end - splice.begin), c.new_lines);
  }
}

TEST(SpliceLines, TouchesOnlyLinesThatDiffer) {
  const struct {
    const char* name;
    std::string old;
    std::string lines;
    uint32_t at;
    uint32_t count;
    std::string text;
  } kCases[] = {
      {"nothing", "a\nb\n", "a\nb", 3, 0, ""},
      {"one behind", "a\n", "a\nb", 1, 0, "\nb"},
      {"one in front", "b\n", "a\nb", 0, 0, "a\n"},
      {"one between", "a\nb\n", "a\nX\nb", 2, 0, "X\n"},
      {"one of three", "a\nb\nc\n", "a\nX\nc", 2, 1, "X"},
      {"one less", "a\nb\nc\n", "a\nc", 2, 2, ""},
      {"the last one less", "a\nb\n", "a", 1, 2, ""},
      {"not a part of a line", "ab\n", "ac", 0, 2, "ac"},
      {"not the end of a line", "ab\nc\n", "xb\nc", 0, 2, "xb"},
      {"the same line again", "a\na\n", "a\na\na", 3, 0, "\na"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const ByteRange range{0, static_cast<uint32_t>(c.old.size())};
    const LineSplice splice = SpliceLines(c.old, range, c.lines, false);
    EXPECT_EQ(splice.at, c.at);
    EXPECT_EQ(splice.count, c.count);
    EXPECT_EQ(splice.text, c.text);
  }
}

}  // namespace
}  // namespace cursorwire::room_agent
