#include "visible_text.h"

#include <gmock/gmock.h>

#include <string>

namespace cursor_chat {
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

TEST(VisibleText, OfOneLineShowsBreaksToo) { EXPECT_EQ(ExactLine("a\n\tb"), "a<U+000A><U+0009>b"); }

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
}  // namespace cursor_chat
