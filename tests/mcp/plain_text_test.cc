#include "mcp/plain_text.h"

#include <gtest/gtest.h>

#include <string>

namespace cursorwire::mcp {
namespace {

TEST(PlainText, DropsWhatAReaderDoesNotSee) {
  EXPECT_EQ(PlainText("a\x1b[31mb\r\n\tc\x7f"), "a[31mb\n\tc");
  EXPECT_EQ(PlainText("a\xE2\x80\x8B"
                      "b\xE2\x80\xAE"
                      "c\xEF\xBB\xBF"
                      "d\xC2\xAD"
                      "e"),
            "abcde");
  EXPECT_EQ(PlainText("x\xF3\xA0\x81\x81y"), "xy");              // a tag of U+E0041
  EXPECT_EQ(PlainText("x\xF3\xA0\x84\x80\xEF\xB8\x8Fy"), "xy");  // variation selectors
  EXPECT_EQ(PlainText("x\xE3\x85\xA4y"), "xy");                  // a filler, U+3164
  EXPECT_EQ(PlainText("\xC3\xA4\xF0\x9F\x98\x80"), "\xC3\xA4\xF0\x9F\x98\x80");
  EXPECT_EQ(PlainText("a\xFF"), "a\xEF\xBF\xBD");
  EXPECT_EQ(PlainText(std::string("a\0b", 3)), "ab");
}

TEST(PlainLine, IsOneLineOfThatLength) {
  EXPECT_EQ(PlainLine("a\nb\tc", 10), "a b c");
  EXPECT_EQ(PlainLine("0123456789", 10), "0123456789");
  EXPECT_EQ(PlainLine("01234567890", 10), "0123456...");
  EXPECT_EQ(PlainLine("012345\xC3\xA4\xC3\xA4\xC3\xA4", 10), "012345...");
  EXPECT_EQ(PlainLine(std::string(100, '\x01'), 10), "...");
}

}  // namespace
}  // namespace cursorwire::mcp
