#include "workspace/search/line_collector.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace cursorwire::workspace {
namespace {

struct Outcome {
  std::string lines;  // numbers, "!" after a result
  int64_t count = 0;
  bool truncated = false;
};

// Adds one line for each character of `text`: those that are 'x' match.
Outcome Collect(const std::string& text, size_t before, size_t after, ResultPage page = {0, {}},
                size_t room = 100) {
  LineCollector lines({.before = before, .after = after, .max_line_bytes = 10}, page, room);
  for (size_t i = 0; i < text.size(); ++i) {
    lines.Add(static_cast<int64_t>(i) + 1, text.substr(i, 1), false,
              text[i] == 'x' ? std::optional<size_t>(0) : std::nullopt);
  }
  Outcome outcome;
  outcome.truncated = lines.truncated();
  const GrepFile file = lines.TakeFile();
  for (const GrepLine& line : file.lines) {
    outcome.lines += (outcome.lines.empty() ? "" : " ") + std::to_string(line.number) +
                     (line.is_context ? "" : "!");
  }
  outcome.count = file.count;
  return outcome;
}

TEST(LineCollector, AddsContextOnce) {
  const struct {
    const char* text;
    size_t before;
    size_t after;
    const char* lines;
  } kCases[] = {
      {"..x..", 0, 0, "3!"},        {"..x..", 1, 0, "2 3!"},
      {"..x..", 0, 1, "3! 4"},      {"..x..", 9, 9, "1 2 3! 4 5"},
      {"x...x", 1, 1, "1! 2 4 5!"}, {"x..x", 1, 1, "1! 2 3 4!"},
      {"x.x", 1, 1, "1! 2 3!"},     {"xx", 1, 1, "1! 2!"},
      {"x.x", 2, 2, "1! 2 3!"},     {"...", 1, 1, ""},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(std::string(c.text) + " " + std::to_string(c.before) + " " +
                 std::to_string(c.after));
    EXPECT_EQ(Collect(c.text, c.before, c.after).lines, c.lines);
  }
}

TEST(LineCollector, ShowsThePageAndCountsAll) {
  const Outcome middle = Collect("x.x.x.x", 0, 0, ResultPage(1, 2));
  EXPECT_EQ(middle.lines, "3! 5!");
  EXPECT_EQ(middle.count, 4);
  EXPECT_FALSE(middle.truncated);
  // A match that is on another page is shown as a line beside one of this.
  EXPECT_EQ(Collect("xxx", 1, 1, ResultPage(1, 1)).lines, "1 2! 3");
}

TEST(LineCollector, StopsWhereThereIsNoRoom) {
  const Outcome outcome = Collect("x.x.x", 0, 0, {0, {}}, 2);
  EXPECT_EQ(outcome.lines, "1! 3!");
  EXPECT_EQ(outcome.count, 3);
  EXPECT_TRUE(outcome.truncated);
  EXPECT_FALSE(Collect("x.x", 0, 0, {0, {}}, 2).truncated);
}

TEST(LineCollector, ShowsTheMatchOfALongLine) {
  ResultPage page(0, std::nullopt);
  size_t room = 10;
  LineCollector lines({.max_line_bytes = 8}, page, room);
  lines.Add(1, "0123456789", false, 6);
  lines.Add(2, "0123456789", false, 7);
  lines.Add(3, "0\xC3\xA4\xC3\xA4\xC3\xA4x890123456", false, 7);
  lines.Add(4, "0123456789abcdef", false, 15);
  lines.Add(5, "0123456789abcdef", true, 12);
  const GrepFile file = lines.TakeFile();
  const std::pair<const char*, bool> kExpected[] = {{"01234567", true},
                                                    {"...56789", true},
                                                    {"...\xC3\xA4x89012", true},
                                                    {"...def", true},
                                                    {"...abcdef", true}};
  ASSERT_EQ(file.lines.size(), std::size(kExpected));
  for (size_t i = 0; i < file.lines.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(file.lines[i].text, kExpected[i].first);
    EXPECT_EQ(file.lines[i].truncated, kExpected[i].second);
  }
}

TEST(LineCollector, CutsLinesBetweenCharacters) {
  ResultPage page(0, std::nullopt);
  size_t room = 10;
  LineCollector lines({.max_line_bytes = 4}, page, room);
  lines.Add(1, "abcd", false, 0);
  lines.Add(2, "abcde", false, 0);
  lines.Add(3, "abc\xC3\xA4", false, 0);
  lines.Add(4, "ab", true, 0);
  lines.Add(5, "a\xFF", false, 0);
  const GrepFile file = lines.TakeFile();
  ASSERT_EQ(file.lines.size(), 5u);
  const std::pair<const char*, bool> kExpected[] = {
      {"abcd", false}, {"abcd", true}, {"abc", true}, {"ab", true}, {"a\xEF\xBF\xBD", false}};
  for (size_t i = 0; i < 5; ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(file.lines[i].text, kExpected[i].first);
    EXPECT_EQ(file.lines[i].truncated, kExpected[i].second);
  }
}

}  // namespace
}  // namespace cursorwire::workspace
