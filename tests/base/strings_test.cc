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
      {"after the surrogates", "\xEE\x80\x80"},
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

// The ASCII parts are looked at several bytes at a time.
TEST(IsUtf8, SeesEachByteOfEachLength) {
  for (size_t size = 0; size <= 100; ++size) {
    const std::string text(size, 'a');
    EXPECT_TRUE(IsUtf8(text)) << size;
    for (size_t at = 0; at < size; ++at) {
      std::string broken = text;
      broken[at] = '\xE9';
      EXPECT_FALSE(IsUtf8(broken)) << at << " of " << size;
      EXPECT_TRUE(IsUtf8(text.substr(0, at) + "\u00E9" + text.substr(at))) << at << " of " << size;
    }
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
      {"broken after good text", "good\xC3\xA9\xFE"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_FALSE(IsUtf8(c.text));
  }
}

TEST(EscapeLineSeparators, LeavesNoLineEndWithinJson) {
  EXPECT_EQ(EscapeLineSeparators("{\"a\":\"1\xE2\x80\xA8"
                                 "2\xE2\x80\xA9"
                                 "3\xC2\x85\"}"),
            R"({"a":"1\u20282\u20293\u0085"})");
  EXPECT_EQ(EscapeLineSeparators("\"\xE2\x80\xA7\xC2\x84\xC3\xA4\""),
            "\"\xE2\x80\xA7\xC2\x84\xC3\xA4\"");
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

TEST(TakeCharacter, TakesOneCharacterOrOneByte) {
  std::string_view text = "a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\xFF\xC3z\xE2\x82";
  const std::u32string expected = {'a',      0xE4, 0x20AC,   0x1F600, 0x1100FF,
                                   0x1100C3, 'z',  0x1100E2, 0x110082};
  std::u32string taken;
  while (!text.empty()) taken += TakeCharacter(text);
  EXPECT_EQ(taken, expected);
}

TEST(UnfinishedUtf8Bytes, CountsWhatMoreBytesCouldComplete) {
  const struct {
    std::string_view text;
    size_t bytes;
  } kCases[] = {
      {"", 0},          {"abc", 0},           {"a\xC3", 1},
      {"a\xE2\x82", 2}, {"a\xF0\x9F\x98", 3}, {"a\xF0\x9F\x98\x80", 0},
      {"a\xC3\xA9", 0}, {"a\x82", 0},         {"a\xE0\x80", 0},  // overlong
      {"a\xED\xA0", 0},                                          // surrogate
      {"a\xF5", 0},     {"\x82\x82\x82", 0},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(UnfinishedUtf8Bytes(c.text), c.bytes) << ::testing::PrintToString(c.text);
  }
}

TEST(Utf8Prefix, CutsBeforeACharacterThatDoesNotFit) {
  const struct {
    const char* name;
    std::string_view text;
    size_t max_bytes;
    size_t size;
  } kCases[] = {
      {"shorter", "abc", 4, 3},
      {"as long", "abc", 3, 3},
      {"longer", "abcd", 3, 3},
      {"none", "abc", 0, 0},
      {"two bytes, one fits", "a\xC3\xA4", 2, 1},
      {"two bytes fit", "a\xC3\xA4z", 3, 3},
      {"three bytes, one fits", "a\xE2\x82\xAC", 2, 1},
      {"three bytes, two fit", "a\xE2\x82\xAC", 3, 1},
      {"four bytes, three fit", "a\xF0\x9F\x98\x80", 4, 1},
      {"a character alone that does not fit", "\xF0\x9F\x98\x80", 2, 0},
      {"no UTF-8", "\xFF\xFF\xFF", 2, 2},
      {"half a character within",
       "\xC3"
       "ab",
       1, 1},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(Utf8Prefix(c.text, c.max_bytes), c.text.substr(0, c.size));
  }
}

TEST(ToUtf8, ReplacesEachInvalidByte) {
  EXPECT_EQ(ToUtf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(ToUtf8("a\xC3\xA4"), "a\xC3\xA4");
  EXPECT_EQ(ToUtf8("\xFFz\xC3"), "\xEF\xBF\xBDz\xEF\xBF\xBD");
  EXPECT_EQ(ToUtf8("\xE2\x82"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(ToUtf8(""), "");
}

}  // namespace
}  // namespace cursorwire
