#include "workspace/edit/line_edits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cursorwire::workspace {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LineEdits, SplitsTextIntoLinesWithTheirNewlines) {
  EXPECT_THAT(SplitLines(""), IsEmpty());
  EXPECT_THAT(SplitLines("a"), ElementsAre("a"));
  EXPECT_THAT(SplitLines("a\r\n\nb"), ElementsAre("a\r\n", "\n", "b"));
  EXPECT_THAT(SplitLines("a\n"), ElementsAre("a\n"));
}

TEST(LineEdits, AreTheFewest) {
  const struct {
    const char* name;
    const char* old_text;
    const char* new_text;
    std::vector<LineEdit> edits;
  } cases[] = {
      {"nothing", "a\nb\n", "a\nb\n", {}},
      {"both empty", "", "", {}},
      {"all new", "", "a\nb\n", {{0, 0, 0, 2}}},
      {"all gone", "a\nb\n", "", {{0, 2, 0, 0}}},
      {"one added", "a\nb\n", "a\nx\nb\n", {{1, 0, 1, 1}}},
      {"one removed", "a\nx\nb\n", "a\nb\n", {{1, 1, 1, 0}}},
      {"one replaced", "a\nx\nb\n", "a\ny\nb\n", {{1, 1, 1, 1}}},
      {"the newline of the last", "a\nb", "a\nb\n", {{1, 1, 1, 1}}},
      {"two apart", "x\na\nb\ny\n", "1\na\nb\n2\n", {{0, 1, 0, 1}, {3, 1, 3, 1}}},
      {"moved to the end", "x\na\nb\n", "a\nb\nx\n", {{0, 1, 0, 0}, {3, 0, 2, 1}}},
      {"of the paper",
       "a\nb\nc\na\nb\nb\na\n",
       "c\nb\na\nb\na\nc\n",
       {{0, 2, 0, 0}, {3, 0, 1, 1}, {5, 1, 4, 0}, {7, 0, 5, 1}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::vector<LineEdit> edits = FindEdits(SplitLines(c.old_text), SplitLines(c.new_text));
    size_t expected = 0;
    size_t actual = 0;
    for (const LineEdit& edit : c.edits) expected += edit.old_count + edit.new_count;
    for (const LineEdit& edit : edits) actual += edit.old_count + edit.new_count;
    EXPECT_EQ(actual, expected);
    // The paper's example has several edits that are as short.
    if (std::string_view(c.name) != "of the paper") {
      EXPECT_EQ(edits, c.edits);
    }
  }
}

TEST(LineEdits, ReplaceEverythingWhereTooMuchDiffers) {
  std::string old_text = "same\n";
  std::string new_text = "same\n";
  for (int i = 0; i < 5000; ++i) {
    old_text += "old " + std::to_string(i) + "\ncommon\n";
    new_text += "new " + std::to_string(i) + "\ncommon\n";
  }
  const std::vector<LineEdit> edits = FindEdits(SplitLines(old_text), SplitLines(new_text));
  EXPECT_THAT(edits, ElementsAre(LineEdit{1, 9999, 1, 9999}));
}

}  // namespace
}  // namespace cursorwire::workspace
