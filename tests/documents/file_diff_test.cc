#include "documents/file_diff.h"

#include <gtest/gtest.h>

#include <string>

namespace cursorwire::documents {
namespace {

TEST(FileDiff, HasTheLinesThatChanged) {
  const struct {
    const char* name;
    std::string before;
    std::string after;
    FileDiff diff;
  } kCases[] = {
      {"a line in the middle", "a\nb\nc\n", "a\nB\nc\n", {"b\n", "B\n", 2, 2}},
      {"the first", "a\nb\n", "A\nb\n", {"a\n", "A\n", 1, 1}},
      {"the last, without a line end", "a\nb", "a\nB", {"b", "B", 2, 2}},
      {"lines that are new", "a\nd\n", "a\nb\nc\nd\n", {"", "b\nc\n", 2, 1}},
      {"lines that are gone", "a\nb\nc\nd\n", "a\nd\n", {"b\nc\n", "", 2, 3}},
      {"a line that became two", "a\nb\nc\n", "a\nb\nB\nc\n", {"", "B\n", 3, 2}},
      {"two lines that became three", "a\nb\n", "c\nd\ne\n", {"a\nb\n", "c\nd\ne\n", 1, 2}},
      {"three lines that became one", "a\nb\nc\nd\n", "a\nx\n", {"b\nc\nd\n", "x\n", 2, 4}},
      {"a new file", "", "a\nb\n", {"", "a\nb\n", 1, 0}},
      {"a new file without a line end", "", "a", {"", "a", 1, 0}},
      {"emptied", "a\nb\n", "", {"a\nb\n", "", 1, 2}},
      {"nothing", "a\n", "a\n", {"", "", 2, 1}},
      {"both empty", "", "", {"", "", 1, 0}},
      {"a line end alone", "a", "a\n", {"a", "a\n", 1, 1}},
      {"a longer line", "a\nab\n", "a\nabc\n", {"ab\n", "abc\n", 2, 2}},
      {"a line that ends as another", "xb\n", "ab\nxb\n", {"", "ab\n", 1, 0}},
      {"doubled", "a\na\n", "a\na\na\n", {"", "a\n", 3, 2}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const FileDiff diff = DiffOf(c.before, c.after);
    EXPECT_EQ(diff.old_string, c.diff.old_string);
    EXPECT_EQ(diff.new_string, c.diff.new_string);
    EXPECT_EQ(diff.start_line, c.diff.start_line);
    EXPECT_EQ(diff.end_line, c.diff.end_line);
  }
}

}  // namespace
}  // namespace cursorwire::documents
