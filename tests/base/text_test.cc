#include "base/text.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace cursorwire {
namespace {

TEST(Text, TrimsAsciiSpaceAlone) {
  EXPECT_EQ(Trim(" \t\r\n\v\fa b\n"), "a b");
  EXPECT_EQ(Trim(" \n "), "");
  EXPECT_EQ(Trim(""), "");
  EXPECT_EQ(Trim("\xC2\xA0"), "\xC2\xA0");
}

TEST(Text, DecodesEscapesOfUrlsAndLeavesTheRest) {
  const std::pair<const char*, std::string> cases[] = {
      {"a%20b", "a b"},
      {"%C3%a4", "\xC3\xA4"},
      {"%41", "A"},
      {"100%", "100%"},
      {"%4", "%4"},
      {"%zz%4z", "%zz%4z"},
      {"%%41", "%A"},
      {"", ""},
      {"%00", std::string(1, '\0')},
  };
  for (const auto& [text, wanted] : cases) EXPECT_EQ(PercentDecode(text), wanted) << text;
}

TEST(Text, PutsControlCharactersOnOneLine) {
  EXPECT_EQ(OneLine("a\r\nb\tc\x1b[2J\x7f \xC3\xA4"), "a  b c [2J  \xC3\xA4");
  EXPECT_EQ(OneLine(std::string("\0x", 2)), " x");
}

}  // namespace
}  // namespace cursorwire
