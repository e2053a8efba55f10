#include "base/line_splitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/for_each_split.h"

namespace cursorwire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kTooLong = "(too long)";

std::vector<std::string> TakeLines(LineSplitter& splitter) {
  std::vector<std::string> lines;
  while (auto line = splitter.Next()) lines.push_back(line->too_long ? kTooLong : line->text);
  return lines;
}

TEST(LineSplitter, CutsAtLineEndsHoweverTheBytesCome) {
  test::ForEachSplit("one\n\r\n\ntwo\r\nth\rree\nfour", [](const auto& pieces) {
    LineSplitter splitter(8);
    for (const std::string_view piece : pieces) splitter.Feed(std::string(piece));
    EXPECT_THAT(TakeLines(splitter), ElementsAre("one", "two", "th\rree"));
    EXPECT_EQ(splitter.buffered_bytes(), 4u);
  });
}

TEST(LineSplitter, ReportsALongLineOnceAndGoesOn) {
  test::ForEachSplit("1234\n12345\n1234\r\n12345\r\n123456789\n1234\n", [](const auto& pieces) {
    LineSplitter splitter(4);
    for (const std::string_view piece : pieces) splitter.Feed(piece);
    EXPECT_THAT(TakeLines(splitter),
                ElementsAre("1234", kTooLong, "1234", kTooLong, kTooLong, "1234"));
  });
}

TEST(LineSplitter, KeepsNoMoreThanTheLimitOfALine) {
  LineSplitter splitter(100);
  for (int i = 0; i < 1000; ++i) {
    splitter.Feed("0123456789");
    EXPECT_LE(splitter.buffered_bytes(), 101u);
  }
  EXPECT_THAT(TakeLines(splitter), ElementsAre(kTooLong));
  splitter.Feed("\nx\n");
  EXPECT_THAT(TakeLines(splitter), ElementsAre("x"));
  EXPECT_THAT(TakeLines(splitter), IsEmpty());
}

TEST(LineSplitter, CountsWhatWaits) {
  LineSplitter splitter(100);
  splitter.Feed("abc\nde\nf");
  EXPECT_EQ(splitter.buffered_bytes(), 6u);
  EXPECT_TRUE(splitter.has_line());
  splitter.Next();
  EXPECT_EQ(splitter.buffered_bytes(), 3u);
  splitter.Next();
  EXPECT_FALSE(splitter.has_line());
}

}  // namespace
}  // namespace cursorwire
