#include "common/visible_text.h"

#include <gmock/gmock.h>

#include <cstdint>
#include <cstdio>
#include <string>

namespace cursor_apps {
namespace {

using ::testing::ElementsAre;

TEST(VisibleText, ShowsControlCharactersAndKeepsTheRest) {
  const struct {
    const char* name;
    std::string text;
    std::string visible;
    std::string exact;
  } cases[] = {
      {"plain", "a b\n\tc", "a b\n\tc", "a b\n\tc"},
      {"escape sequence", "\x1b[2J", "<U+001B>[2J", "<U+001B>[2J"},
      {"carriage return", "a\rb", "a<U+000D>b", "a<U+000D>b"},
      {"zero byte and DEL", std::string("\0\x7f", 2), "<U+0000><U+007F>", "<U+0000><U+007F>"},
      {"control of eight bits", "\xC2\x9B", "<U+009B>", "<U+009B>"},
      {"letters", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80",
       "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"},
      {"from right to left", "a\xE2\x80\xAE", "a\xE2\x80\xAE", "a<U+202E>"},
      {"no width", "a\xE2\x80\x8B", "a\xE2\x80\x8B", "a<U+200B>"},
      {"combining", "a\xCC\xB6", "a\xCC\xB6", "a<U+0336>"},
      {"tag", "\xF3\xA0\x81\x81", "\xF3\xA0\x81\x81", "<U+E0041>"},
      {"a byte alone", "\xFF", "<0xFF>", "<0xFF>"},
      {"half a character", "\xE2\x82", "<0xE2><0x82>", "<0xE2><0x82>"},
      {"escape in a longer form", "\xC0\x9B", "<0xC0><0x9B>", "<0xC0><0x9B>"},
      {"escape in three bytes", "\xE0\x80\x9B", "<0xE0><0x80><0x9B>", "<0xE0><0x80><0x9B>"},
      {"surrogate", "\xED\xA0\x80", "<0xED><0xA0><0x80>", "<0xED><0xA0><0x80>"},
      {"too large", "\xF4\x90\x80\x80", "<0xF4><0x90><0x80><0x80>", "<0xF4><0x90><0x80><0x80>"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(VisibleText(c.text), c.visible);
    EXPECT_EQ(ExactText(c.text), c.exact);
  }
}

std::string Utf8(uint32_t c) {
  const auto rest = [c](int shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xC0 | (c >> 6)), rest(0)};
  if (c < 0x10000) return {static_cast<char>(0xE0 | (c >> 12)), rest(6), rest(0)};
  return {static_cast<char>(0xF0 | (c >> 18)), rest(12), rest(6), rest(0)};
}

// Unicode 15: all of Default_Ignorable_Code_Point, and what else no font has a shape for.
TEST(ExactText, ShowsWhatHasNoShape) {
  const struct {
    uint32_t first, last;
  } ranges[] = {
      {0xAD, 0xAD},       {0x34F, 0x34F},     {0x61C, 0x61C},     {0x115F, 0x1160},
      {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},   {0x202A, 0x202E},
      {0x2060, 0x206F},   {0x3164, 0x3164},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},
      {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFF8},   {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
      {0xE0000, 0xE0FFF}, {0x2028, 0x2029},   {0xA0, 0xA0},       {0x2000, 0x200A},
      {0x3000, 0x3000},   {0x2800, 0x2800},   {0x16FE4, 0x16FE4}, {0x1D159, 0x1D159},
      {0x13440, 0x13440}, {0xE000, 0xF8FF},   {0xFDD0, 0xFDEF},   {0xFFFE, 0xFFFF},
      {0x3FFFE, 0x3FFFF}, {0xF0000, 0xFFFFF}, {0x1039, 0x1039},   {0x2D7F, 0x2D7F},
  };
  for (const auto& range : ranges) {
    for (uint32_t c = range.first; c <= range.last; ++c) {
      char expected[16];
      std::snprintf(expected, sizeof(expected), "a<U+%04X>", c);
      ASSERT_EQ(ExactText("a" + Utf8(c)), expected);
    }
  }
}

TEST(ExactText, LeavesLettersWithTheirJoiners) {
  const std::string khmer = Utf8(0x1781) + Utf8(0x17D2) + Utf8(0x1798);
  EXPECT_EQ(ExactText(khmer), khmer);
  EXPECT_EQ(ExactText("l" + Utf8(0x17D2) + "s"), "l<U+17D2>s");
}

TEST(VisibleText, ShowsBreaksOfOneLineToo) { EXPECT_EQ(ExactLine("a\n\tb"), "a<U+000A><U+0009>b"); }

TEST(FindNonUtf8, FindsTheFirstByteThatBelongsToNoCharacter) {
  const struct {
    std::string text;
    size_t at;
  } cases[] = {{"", std::string::npos},
               {std::string("a\0\n", 3), std::string::npos},
               {"gr\xC3\xBC\xC3\x9F \xF0\x9F\x9F\xA2", std::string::npos},
               {"\xC3\xA4 caf\xE9", 6},
               {"ab\xC3", 2},
               {"\xFF\xFEh\0", 0},
               {"a\xED\xA0\x80", 1},
               {"a\xC0\x80", 1}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(FindNonUtf8(c.text), c.at);
  }
}

TEST(VisibleText, CutTakesOffHalfACharacter) {
  const struct {
    const char* name;
    std::string text;
    std::string cut;
  } cases[] = {
      {"nothing", "", ""},
      {"whole", "a\xE2\x82\xAC", "a\xE2\x82\xAC"},
      {"one byte of three", "a\xE2", "a"},
      {"two bytes of three", "a\xE2\x82", "a"},
      {"three bytes of four", "a\xF0\x9F\x98", "a"},
      {"no text at all", "\x80\x80\x80\x80", "\x80\x80\x80\x80"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    std::string text = c.text;
    CutToWholeCharacters(text);
    EXPECT_EQ(text, c.cut);
  }
}

TEST(WrapLine, CutsByColumns) {
  EXPECT_THAT(WrapLine("", 4), ElementsAre(""));
  EXPECT_THAT(WrapLine("abcd", 4), ElementsAre("abcd"));
  EXPECT_THAT(WrapLine("abcdef", 4), ElementsAre("abcd", "ef"));
  EXPECT_THAT(WrapLine("a\tb", 5), ElementsAre("a    ", "b"));
  EXPECT_THAT(WrapLine("\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC", 4),
              ElementsAre("\xE2\x82\xAC\xE2\x82\xAC", "\xE2\x82\xAC"));
}

}  // namespace
}  // namespace cursor_apps
