#include "collab/room_agent/prompt_window.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "crdt/text/text_size.h"

namespace cursorwire::room_agent {
namespace {

constexpr size_t kMostWindow = 2 * (kWindowSide + kMaxWindowGrowth);

std::string ShownOfWindow(const std::string& text, const PromptWindow& window) {
  return text.substr(window.begin, window.end - window.begin);
}

TEST(PromptWindow, EmptyText) {
  const PromptWindow window = FindPromptWindow("", 0);
  EXPECT_TRUE(window.is_whole(""));
  EXPECT_EQ(window.first_line, 0U);
  EXPECT_EQ(window.last_line, 0U);
  EXPECT_EQ(window.line_count, 0U);
}

TEST(PromptWindow, SmallTextIsWhole) {
  const PromptWindow window = FindPromptWindow("a\nb\nc", 2);
  EXPECT_TRUE(window.is_whole("a\nb\nc"));
  EXPECT_EQ(window.first_line, 1U);
  EXPECT_EQ(window.last_line, 3U);
  EXPECT_EQ(window.line_count, 3U);
  EXPECT_EQ(FindPromptWindow("a\nb\n", 0).last_line, 2U);
}

TEST(PromptWindow, CountsUtf16Units) {
  // Three bytes and one unit each; four bytes and two.
  std::string wide;
  while (wide.size() < 3 * kMaxWholeText) wide += "\xe4\xb8\xad";
  EXPECT_TRUE(FindPromptWindow(wide, 0).is_whole(wide));
  EXPECT_FALSE(FindPromptWindow(wide + "x", 0).is_whole(wide + "x"));
  std::string pairs;
  while (pairs.size() < 2 * kMaxWholeText) pairs += "\xf0\x9f\x98\x80";
  EXPECT_TRUE(FindPromptWindow(pairs, 0).is_whole(pairs));
  EXPECT_FALSE(FindPromptWindow(pairs + "x", 0).is_whole(pairs + "x"));
}

TEST(PromptWindow, GrowsToTheBordersOfLines) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "0123456\n";
  const size_t prompt_end = text.size() / 2 + 3;
  const PromptWindow window = FindPromptWindow(text, prompt_end);
  EXPECT_EQ(window.begin % 8, 0U);
  EXPECT_EQ(window.end % 8, 0U);
  EXPECT_LE(window.begin, prompt_end - kWindowSide);
  EXPECT_GT(window.begin + 8, prompt_end - kWindowSide);
  EXPECT_GE(window.end, prompt_end + kWindowSide);
  EXPECT_LT(window.end - 8, prompt_end + kWindowSide);
  EXPECT_EQ(window.first_line, window.begin / 8 + 1);
  EXPECT_EQ(window.last_line, window.end / 8);
  EXPECT_EQ(window.line_count, 10000U);
  EXPECT_FALSE(window.cuts_first_line);
  EXPECT_FALSE(window.cuts_last_line);
}

TEST(PromptWindow, EndsOfTheTextBoundIt) {
  std::string text;
  for (int i = 0; i < 10000; ++i) text += "0123456\n";
  const PromptWindow top = FindPromptWindow(text, 7);
  EXPECT_EQ(top.begin, 0U);
  EXPECT_EQ(top.first_line, 1U);
  EXPECT_LT(top.end, kWindowSide + 20);
  const PromptWindow bottom = FindPromptWindow(text, text.size() - 1);
  EXPECT_EQ(bottom.end, text.size());
  EXPECT_EQ(bottom.last_line, 10000U);
}

TEST(PromptWindow, StopsGrowingInAFileOfOneLine) {
  const std::string text(1'000'000, 'x');
  const PromptWindow window = FindPromptWindow(text, 500'000);
  EXPECT_EQ(window.end - window.begin, kMostWindow);
  EXPECT_TRUE(window.cuts_first_line);
  EXPECT_TRUE(window.cuts_last_line);
  EXPECT_EQ(window.first_line, 1U);
  EXPECT_EQ(window.last_line, 1U);
  EXPECT_EQ(window.line_count, 1U);
}

TEST(PromptWindow, CutsNoGrapheme) {
  // "e" and an acute accent; a family of emoji held by joiners.
  for (const std::string_view unit :
       {std::string_view("e\xcc\x81"),
        std::string_view("\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9")}) {
    std::string text = "x";
    while (text.size() < 400'000) text += unit;
    for (size_t shift = 0; shift < 6; ++shift) {
      const PromptWindow window = FindPromptWindow(text, 1 + unit.size() * 10'000 + shift);
      const std::string shown = ShownOfWindow(text, window);
      EXPECT_TRUE(shown.starts_with(unit)) << shift;
      EXPECT_TRUE(shown.ends_with(unit)) << shift;
      EXPECT_LE(crdt::Measure(shown).utf16, kMostWindow);
      EXPECT_GT(crdt::Measure(shown).utf16, kMostWindow - 16);
    }
  }
}

TEST(PromptWindow, LongRunOfMarksIsCutAllTheSame) {
  std::string text = "e";
  while (text.size() < 400'000) text += "\xcc\x81";
  const PromptWindow window = FindPromptWindow(text, 200'001);
  EXPECT_EQ(crdt::Measure(ShownOfWindow(text, window)).utf16, kMostWindow);
}

}  // namespace
}  // namespace cursorwire::room_agent
