#include "base/strings.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace cursorwire {
namespace {

TEST(Border, KeepsBytesBothWays) {
  const std::string_view text("a\0b", 3);
  EXPECT_EQ(ToStd(ToAbsl(text)), text);
  EXPECT_EQ(ToAbsl(text).size(), 3u);
  EXPECT_EQ(ToStd(ToAbsl(text)).data(), text.data());
}

TEST(ToLower, ChangesAsciiLettersAlone) {
  EXPECT_EQ(ToLower("Grpc-Status-[Z]@`"), "grpc-status-[z]@`");
  EXPECT_EQ(ToLower("\xC3\x84"), "\xC3\x84");
  EXPECT_EQ(ToLower(""), "");
}

TEST(IsUtf8, AcceptsWellFormedText) {
  const struct {
    const char* name;
    std::string_view text;
  } kCases[] = {
      {"empty", ""},
      {"ascii", "abc\x7F"},
      {"zero byte", std::string_view("\0", 1)},
      {"first of two bytes", "\xC2\x80"},
      {"last of two bytes", "\xDF\xBF"},
      {"first of three bytes", "\xE0\xA0\x80"},
      {"before the surrogates", "\xED\x9F\xBF"},
      {"behind the surrogates", "\xEE\x80\x80"},
      {"last of three bytes", "\xEF\xBF\xBF"},
      {"first of four bytes", "\xF0\x90\x80\x80"},
      {"last of all, U+10FFFF", "\xF4\x8F\xBF\xBF"},
      {"mixed", "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_TRUE(IsUtf8(c.text));
  }
}

TEST(IsUtf8, RefusesIllFormedText) {
  const struct {
    const char* name;
    std::string_view text;
  } kCases[] = {
      {"lone continuation", "\x80"},
      {"overlong of one byte, C0", "\xC0\x80"},
      {"overlong of one byte, C1", "\xC1\xBF"},
      {"two bytes cut", "\xC3"},
      {"two bytes, second no continuation",
       "\xC3"
       "A"},
      {"overlong of two bytes", "\xE0\x9F\xBF"},
      {"three bytes cut after one", "\xE2"},
      {"three bytes cut after two", "\xE2\x82"},
      {"three bytes, third no continuation",
       "\xE2\x82"
       "A"},
      {"first surrogate", "\xED\xA0\x80"},
      {"last surrogate", "\xED\xBF\xBF"},
      {"overlong of three bytes", "\xF0\x8F\xBF\xBF"},
      {"four bytes cut", "\xF0\x9F\x98"},
      {"four bytes, fourth no continuation", "\xF0\x9F\x98\xC0"},
      {"above U+10FFFF", "\xF4\x90\x80\x80"},
      {"F5", "\xF5\x80\x80\x80"},
      {"FF", "\xFF"},
      {"broken behind good text", "good\xC3\xA9\xFE"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_FALSE(IsUtf8(c.text));
  }
}

TEST(Printable, ReplacesWhatIsNoPrintableAscii) {
  EXPECT_EQ(Printable("plain ~ text", 100), "plain ~ text");
  EXPECT_EQ(Printable(std::string_view("a\r\n\t\0b\x1F\x7F", 8), 100), "a????b??");
  EXPECT_EQ(Printable("\xC3\xA9", 100), "??");
}

TEST(Printable, KeepsAtMostTheGivenBytes) {
  EXPECT_EQ(Printable("abcdef", 3), "abc");
  EXPECT_EQ(Printable("abc", 3), "abc");
  EXPECT_EQ(Printable("abc", 0), "");
  EXPECT_EQ(Printable("", 5), "");
}

TEST(ToUtf8, ReplacesEachByteThatIsNoText) {
  struct Case {
    const char* text;
    const char* expected;
  };
  constexpr Case kCases[] = {
      {"", ""},
      {"a\xC3\xA9\xF0\x9F\x98\x80", "a\xC3\xA9\xF0\x9F\x98\x80"},
      {"\xFFx", "\xEF\xBF\xBDx"},
      {"x\xC3", "x\xEF\xBF\xBD"},
      {"\xE2\x82x", "\xEF\xBF\xBD\xEF\xBF\xBDx"},
      {"\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(ToUtf8(c.text), c.expected);
    EXPECT_TRUE(IsUtf8(ToUtf8(c.text)));
  }
}

}  // namespace
}  // namespace cursorwire
