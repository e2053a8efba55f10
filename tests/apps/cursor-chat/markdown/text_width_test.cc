#include "markdown/text_width.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace cursor_chat::markdown {
namespace {

TEST(TextWidth, CountsColumnsOfATerminal) {
  const struct {
    const char* name;
    std::string_view text;
    size_t columns;
  } cases[] = {
      {"nothing", "", 0},
      {"ASCII", "hello, world", 12},
      {"letters of Europe", "Grüße", 5},
      {"combining accents", "e\xCC\x81o\xCC\x88\xCC\xA4", 2},
      {"an accent alone", "\xCC\x81", 0},
      {"Chinese", "中文字", 6},
      {"Japanese", "カタカナ", 8},
      {"half-width katakana", "ｶﾀｶﾅ", 4},
      {"full-width letters", "ＡＢ", 4},
      {"Korean", "한국어", 6},
      {"Korean in parts", "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", 2},
      {"Hebrew with points", "שָׁלוֹם", 4},
      {"Arabic", "سلام", 4},
      {"Hindi", "नमस्ते", 4},
      {"Thai with a tone mark", "น้ำ", 2},
      {"emoji", "😀✅❌", 6},
      {"a sign made an emoji", "\xE2\x9A\xA0\xEF\xB8\x8F", 2},
      {"the same sign as text", "\xE2\x9A\xA0", 1},
      {"skin tone", "👍🏽", 2},
      {"family", "👨‍👩‍👧‍👦", 2},
      {"flags", "🇩🇪🇫🇷", 4},
      {"keycap", "1\xEF\xB8\x8F\xE2\x83\xA3", 2},
      {"zero-width space", "a\xE2\x80\x8B\x62", 2},
      {"lines of a table", "│─┼", 3},
      {"not UTF-8", "\xFF\xC3", 2},
      {"end in the middle of a character", "a\xE2\x82", 3},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(TextWidth(c.text), c.columns);
  }
}

TEST(MostTextWidth, CountsEachPartOfJoinedEmoji) {
  EXPECT_EQ(MostTextWidth("👨‍👩‍👧‍👦"), 8u);
  EXPECT_EQ(MostTextWidth("👍🏽"), 4u);
  EXPECT_EQ(MostTextWidth("\xE2\x9A\xA0\xEF\xB8\x8F e\xCC\x81 中"), 7u);
}

TEST(PadTo, CountsColumns) {
  EXPECT_EQ(PadTo("中", 4), "中  ");
  EXPECT_EQ(PadTo("ab", 4), "ab  ");
  EXPECT_EQ(PadTo("中文", 3), "中文");
}

TEST(TakeCluster, KeepsTogetherWhatIsOneCharacter) {
  std::string_view text = "e\xCC\x81👨‍👩‍👧x";
  EXPECT_EQ(TakeCluster(text).text, "e\xCC\x81");
  EXPECT_EQ(TakeCluster(text).text, "👨‍👩‍👧");
  EXPECT_EQ(TakeCluster(text).text, "x");
  EXPECT_TRUE(text.empty());
}

}  // namespace
}  // namespace cursor_chat::markdown
