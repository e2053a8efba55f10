#include "base/utf8_pieces.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/strings.h"
#include "support/for_each_split.h"

namespace cursorwire {
namespace {

TEST(Utf8Pieces, MakesTheSameTextOfEverySplit) {
  const struct {
    const char* name;
    std::string bytes;
  } kCases[] = {
      {"empty", ""},
      {"ascii", "plain"},
      {"every length", "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z"},
      {"the edges", "\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"},
      {"cut at the end", "a\xF0\x9F\x98"},
      {"cut in the middle", "\xE2\x82X\xF0\x9FY\xC3Z"},
      {"overlong", "\xC0\x80\xE0\x80\x80\xF0\x80\x80\x80"},
      {"a surrogate and above the last", "\xED\xA0\x80\xF4\x90\x80\x80\xF5\x80"},
      {"continuations alone", "\x80\xBF\x80\x80"},
      {"no UTF-8 at all", "\xFF\xFE\xFD"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    test::ForEachSplit(c.bytes, [&](const auto& pieces) {
      Utf8Pieces utf8;
      std::string text;
      for (const std::string_view piece : pieces) {
        const std::string part = utf8.Next(piece);
        EXPECT_TRUE(IsUtf8(part));
        text += part;
      }
      text += utf8.Last("");
      EXPECT_EQ(text, ToUtf8(c.bytes));
    });
  }
}

TEST(Utf8Pieces, HoldsBackNoMoreThanTheStartOfACharacter) {
  Utf8Pieces utf8;
  EXPECT_EQ(utf8.Next("ab\xF0\x9F\x98"), "ab");
  EXPECT_EQ(utf8.Next("\x80"), "\xF0\x9F\x98\x80");
  EXPECT_EQ(utf8.Next("\xE2"), "");
  // What can become no character is not waited for.
  EXPECT_EQ(utf8.Next("\xE0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(utf8.Next("\xFF"), "\xEF\xBF\xBD");
}

TEST(Utf8Pieces, TakesTheRestWithTheLast) {
  Utf8Pieces utf8;
  EXPECT_EQ(utf8.Next("a\xC3"), "a");
  EXPECT_EQ(utf8.Last("\xA9"), "\xC3\xA9");
  EXPECT_EQ(utf8.Last(""), "");
}

}  // namespace
}  // namespace cursorwire
