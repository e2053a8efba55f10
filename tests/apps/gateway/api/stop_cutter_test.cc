#include "api/stop_cutter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cursor_gateway {
namespace {

// What is sent of a text that comes in pieces of `size` bytes.
std::string Cut(const std::vector<std::string>& stops, const std::string& text, size_t size) {
  StopCutter cutter(stops);
  std::string sent;
  for (size_t at = 0; at < text.size(); at += size) sent += cutter.Feed(text.substr(at, size));
  return sent + cutter.Finish();
}

TEST(StopCutter, CutsBeforeTheFirstMatchHoweverTheTextIsSplit) {
  struct Case {
    std::vector<std::string> stops;
    std::string text;
    std::string sent;
  };
  const Case cases[] = {
      {{}, "all of it", "all of it"},   {{"STOP"}, "one STOP two", "one "},
      {{"STOP"}, "one STO", "one STO"}, {{"\n\n", "END"}, "a\nb\n\nc END", "a\nb"},
      {{"abcd", "c"}, "xabcd", "xab"},  // "c" is complete first
      {{"bc", "abc"}, "xabcd", "x"},    // both end here: the longest
      {{"aab"}, "aaab", "a"},           {{"x"}, "x", ""},
  };
  for (const Case& c : cases) {
    for (size_t size = 1; size <= c.text.size(); ++size) {
      SCOPED_TRACE(c.text + " in " + std::to_string(size));
      EXPECT_EQ(Cut(c.stops, c.text, size), c.sent);
    }
  }
}

TEST(StopCutter, HoldsBackOnlyWhatMayBeAMatch) {
  StopCutter cutter({"STOP"});
  EXPECT_EQ(cutter.Feed("hello "), "hello ");
  EXPECT_EQ(cutter.Feed("S"), "");
  EXPECT_EQ(cutter.Feed("T!"), "ST!");
  EXPECT_FALSE(cutter.stopped());
  EXPECT_EQ(cutter.Feed("STOP and more"), "");
  EXPECT_TRUE(cutter.stopped());
  EXPECT_EQ(cutter.Feed("more"), "");
  EXPECT_EQ(cutter.Finish(), "");
}

// Compared anew for each piece, these would take minutes.
TEST(StopCutter, TakesLinearTimeForStopsThatAlmostMatch) {
  constexpr size_t kStops = 256;
  constexpr size_t kBegun = 1024;
  std::vector<std::string> stops;
  for (size_t i = 1; i < kStops; ++i) {
    stops.push_back(std::string(kBegun, 'a') + "b" + std::string(2 * kBegun + i, 'a'));
  }
  stops.push_back(std::string(2 * kBegun, 'a') + "b");
  const std::string text(20 * kBegun, 'a');
  EXPECT_EQ(Cut(stops, text, 1), text);
  EXPECT_EQ(Cut(stops, text + "bc", 1), text.substr(2 * kBegun));
}

}  // namespace
}  // namespace cursor_gateway
