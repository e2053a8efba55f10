#include "crdt/text/text_size.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace cursorwire::crdt {
namespace {

// 1, 2, 3 and 4 bytes, and both line ends.
constexpr std::string_view kText = "a\xc3\xa9\xe4\xb8\x96\xf0\x9f\x98\x80\r\nb\n";

TEST(TextSize, CountsInEachUnit) {
  EXPECT_EQ(Measure(""), TextSize());
  EXPECT_EQ(Measure(kText), (TextSize{.bytes = 14, .utf16 = 9, .code_points = 8, .lines = 2}));
  EXPECT_EQ(Measure(kText).In(Unit::kBytes), 14u);
  EXPECT_EQ(Measure(kText).In(Unit::kUtf16), 9u);
  EXPECT_EQ(Measure(kText).In(Unit::kCodePoints), 8u);
  EXPECT_EQ(Measure(kText).In(Unit::kLines), 2u);
}

TEST(TextSize, IsTheSumOfItsParts) {
  for (size_t count = 0; count <= 8; ++count) {
    const std::string_view first = PrefixOf(kText, Unit::kCodePoints, count);
    EXPECT_EQ(Measure(first).code_points, count);
    EXPECT_EQ(Measure(first) + Measure(kText.substr(first.size())), Measure(kText));
    EXPECT_EQ(Measure(kText) - Measure(first), Measure(kText.substr(first.size())));
  }
}

TEST(PrefixOf, NeverEndsWithinACharacter) {
  struct Case {
    Unit unit;
    size_t count;
    size_t bytes;
  } const kCases[] = {
      {Unit::kBytes, 0, 0},    {Unit::kBytes, 1, 1},       {Unit::kBytes, 2, 1},
      {Unit::kBytes, 3, 3},    {Unit::kBytes, 9, 6},       {Unit::kBytes, 10, 10},
      {Unit::kBytes, 100, 14}, {Unit::kUtf16, 3, 6},       {Unit::kUtf16, 4, 6},
      {Unit::kUtf16, 5, 10},   {Unit::kCodePoints, 4, 10}, {Unit::kCodePoints, 9, 14},
      {Unit::kLines, 0, 0},    {Unit::kLines, 1, 12},      {Unit::kLines, 2, 14},
      {Unit::kLines, 3, 14},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(PrefixOf(kText, c.unit, c.count).size(), c.bytes)
        << static_cast<int>(c.unit) << ": " << c.count;
  }
}

}  // namespace
}  // namespace cursorwire::crdt
