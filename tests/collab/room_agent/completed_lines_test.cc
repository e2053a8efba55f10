#include "collab/room_agent/completed_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "crdt/text/text_size.h"

namespace cursorwire::room_agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

yjs::TextChange StepAt(std::string_view before, uint32_t deleted, std::string_view inserted) {
  return {.at = crdt::Measure(before),
          .deleted = crdt::Measure(std::string(deleted, 'x')),
          .inserted = std::string(inserted)};
}

TEST(CompletedLines, EachInsertWithALineFeedEndsOne) {
  EXPECT_THAT(CompletedLines({StepAt("abc", 0, "d")}, 10), IsEmpty());
  EXPECT_THAT(CompletedLines({StepAt("abc", 0, "\n")}, 10), ElementsAre(3));
  EXPECT_THAT(CompletedLines({StepAt("abc", 0, "de\nf\ng")}, 10), ElementsAre(5));
  EXPECT_THAT(CompletedLines({StepAt("abc", 2, "\n  ")}, 10), ElementsAre(3));
}

TEST(CompletedLines, PlacesAreThoseAfterAllSteps) {
  EXPECT_THAT(CompletedLines({StepAt("abc", 0, "\n"), StepAt("a", 0, "12")}, 20), ElementsAre(5));
  EXPECT_THAT(CompletedLines({StepAt("abc", 0, "\n"), StepAt("a", 1, "")}, 20), ElementsAre(2));
  EXPECT_THAT(CompletedLines({StepAt("abc", 0, "\n"), StepAt("abc", 0, "x")}, 20), ElementsAre(4));
  EXPECT_THAT(CompletedLines({StepAt("abc", 0, "\n"), StepAt("abcd", 0, "x")}, 20), ElementsAre(3));
  EXPECT_THAT(CompletedLines({StepAt("abc", 0, "\n"), StepAt("", 0, "\n")}, 20), ElementsAre(4, 0));
}

TEST(CompletedLines, LineWhoseEndIsDeletedAgainIsLeftOut) {
  EXPECT_THAT(CompletedLines({StepAt("abc", 0, "\n"), StepAt("abc", 1, "")}, 20), IsEmpty());
  EXPECT_THAT(CompletedLines({StepAt("abc", 0, "\n"), StepAt("a", 9, "")}, 20), IsEmpty());
}

TEST(CompletedLines, TextInPlaceOfAllThereWasIsALoad) {
  EXPECT_THAT(CompletedLines({StepAt("", 0, "a\nb"), StepAt("123", 7, "")}, 3), IsEmpty());
  EXPECT_THAT(CompletedLines({StepAt("", 7, "a\nb")}, 3), IsEmpty());
  EXPECT_THAT(CompletedLines({StepAt("", 7, "a\nb")}, 4), ElementsAre(1));
}

TEST(CompletedLines, SeveralLinesInAnEmptyTextAreALoad) {
  EXPECT_THAT(CompletedLines({StepAt("", 0, "@agent go\nb")}, 11), IsEmpty());
  EXPECT_THAT(CompletedLines({StepAt("", 0, "@agent go\n")}, 10), ElementsAre(9));
  EXPECT_THAT(CompletedLines({StepAt("", 0, "@agent go\nb"), StepAt("x", 0, "\n")}, 12),
              Not(IsEmpty()));
}

TEST(CompletedLines, TheLastOnesCount) {
  std::vector<yjs::TextChange> changes;
  for (size_t i = 0; i < kMaxCompletedLines + 3; ++i) {
    changes.push_back(StepAt(std::string(2 * i, 'x'), 0, "\n"));
  }
  const std::vector<uint32_t> feeds = CompletedLines(changes, 1000);
  ASSERT_THAT(feeds, SizeIs(kMaxCompletedLines));
  EXPECT_EQ(feeds.front(), 6U);
}

}  // namespace
}  // namespace cursorwire::room_agent
