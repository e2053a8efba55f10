#include "collab/helper/editor_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "crdt/text/text_size.h"

namespace cursorwire::collab {
namespace {

using std::chrono::milliseconds;
using ::testing::IsEmpty;

// A document of ASCII and what an editor may have of it.
class EditorVersionsTest : public ::testing::Test {
 protected:
  void Replace(uint32_t at, uint32_t deleted, std::string_view inserted) {
    text_.replace(at, deleted, inserted);
    versions_.OnReplaced(at, deleted, static_cast<uint32_t>(inserted.size()));
  }
  void Give() { versions_.AddGiven(text_, now_); }
  std::string Send(const std::string& content) {
    const EditorVersions::Comparison comparison = versions_.Compare(content, now_);
    for (const EditorEdit& edit : comparison.edits) {
      for (auto range = edit.deleted.rbegin(); range != edit.deleted.rend(); ++range) {
        EXPECT_GE(range->at, edit.at);
        Replace(range->at, range->count, {});
      }
      Replace(edit.at, 0, edit.inserted);
    }
    versions_.AddSent(content, comparison, text_, now_);
    return text_;
  }

  EditorVersions versions_;
  std::string text_;
  EditorVersions::TimePoint now_{std::chrono::hours(1)};
};

TEST_F(EditorVersionsTest, NothingIsNear) {
  EXPECT_TRUE(versions_.empty());
  EXPECT_THAT(versions_.Compare("abc", now_).edits, IsEmpty());
}

TEST_F(EditorVersionsTest, AnEditIsOfTheTextThatWasGiven) {
  text_ = "one two";
  Give();
  EXPECT_EQ(Send("one, two"), "one, two");
  EXPECT_EQ(Send("two"), "two");
  EXPECT_EQ(versions_.last(), "two");
}

TEST_F(EditorVersionsTest, AnEditThatCrossesAnInsertKeepsIt) {
  text_ = "one two";
  Give();
  Replace(4, 0, "REMOTE ");
  Give();
  EXPECT_EQ(Send("one two!"), "one REMOTE two!");
  EXPECT_EQ(versions_.last(), "one REMOTE two") << "which is on its way";
}

TEST_F(EditorVersionsTest, AnEditOfWhatIsNotToldYetKeepsItToo) {
  text_ = "one two";
  Give();
  Replace(0, 0, "REMOTE ");
  EXPECT_EQ(Send("ne two"), "REMOTE ne two");
}

TEST_F(EditorVersionsTest, TheNearestCountsAndOnATieTheNewest) {
  text_ = "ab";
  Give();
  Replace(2, 0, "XX");
  Give();
  // Two characters from the first, two from the second.
  EXPECT_EQ(Send("ab12XX"), "ab12XX");
  text_ = "";
  versions_ = EditorVersions();
  Give();
  Replace(0, 0, "ab");
  Give();
  // "a" is one insertion into "", and one deletion from "ab": the newest.
  EXPECT_EQ(Send("a"), "a");
}

TEST_F(EditorVersionsTest, VersionsCountForTwoSecondsAfterTheyGaveWay) {
  for (const int late : {2000, 2001}) {
    SCOPED_TRACE(late);
    versions_ = EditorVersions();
    text_ = "abc";
    Give();
    now_ += milliseconds(60000);  // it is the newest all the time
    Replace(3, 0, "REMOTE");
    Give();
    now_ += milliseconds(late);
    EXPECT_EQ(Send("abcd"), late == 2000 ? "abcdREMOTE" : "abcd");
  }
}

TEST_F(EditorVersionsTest, SixteenVersionsCount) {
  for (const int given : {15, 16}) {
    SCOPED_TRACE(given);
    versions_ = EditorVersions();
    text_ = "abc";
    Give();
    for (int i = 0; i < given; ++i) {
      Replace(3, 0, "REMOTE");
      Give();
    }
    const std::string before = text_;
    const std::string after = Send("abc");
    if (given == 15) {
      EXPECT_EQ(after, before);
    } else {
      EXPECT_LT(after.size(), before.size());
    }
  }
}

TEST_F(EditorVersionsTest, TheNewestCountsHoweverOldItIs) {
  text_ = "abc";
  Give();
  now_ += std::chrono::hours(100);
  EXPECT_EQ(Send("abcd"), "abcd");
}

TEST_F(EditorVersionsTest, WhatWasSentIsABaseThoughOthersChangedTheText) {
  text_ = "abc";
  Give();
  Replace(0, 0, "R");
  EXPECT_EQ(Send("abcd"), "Rabcd");
  EXPECT_EQ(Send("abcde"), "Rabcde");
  EXPECT_EQ(Send("bcde"), "Rbcde");
}

TEST_F(EditorVersionsTest, WhatIsOnItsWayToTheEditorWhenItSendsIsStillABase) {
  text_ = "abc";
  Give();
  Replace(3, 0, "REMOTE");
  Give();  // on its way
  EXPECT_EQ(Send("0abc"), "0abcREMOTE");
  Give();  // on its way, too
  // The editor has taken the first of the two, and types on.
  EXPECT_EQ(Send("abcREMOTE!"), "0abcREMOTE!");
}

TEST_F(EditorVersionsTest, TheSameTextIsNoEdit) {
  text_ = "abc";
  Give();
  Replace(3, 0, "R");
  EXPECT_THAT(versions_.Compare("abc", now_).edits, IsEmpty());
}

TEST_F(EditorVersionsTest, CountsInCodePoints) {
  versions_.AddGiven(
      "\xf0\x9f\x98\x80"
      "b",
      now_);
  const auto edits = versions_
                         .Compare(
                             "\xf0\x9f\x98\x80"
                             "ab",
                             now_)
                         .edits;
  ASSERT_EQ(edits.size(), 1u);
  EXPECT_EQ(edits[0].at, 1u);
  EXPECT_EQ(edits[0].inserted, "a");
}

TEST_F(EditorVersionsTest, EditsOfAllPlacesGoThroughEditsOfAllPlaces) {
  // Each deletion of one character, and each insertion, across each of somebody else's.
  const std::string base = "abcd";
  for (uint32_t own = 0; own <= 4; ++own) {
    for (uint32_t other = 0; other <= 4; ++other) {
      for (const bool own_deletes : {false, true}) {
        for (const bool other_deletes : {false, true}) {
          if ((own_deletes && own == 4) || (other_deletes && other == 4)) continue;
          versions_ = EditorVersions();
          text_ = base;
          Give();
          Replace(other, other_deletes ? 1 : 0, other_deletes ? "" : "R");
          std::string content = base;
          content.replace(own, own_deletes ? 1 : 0, own_deletes ? "" : "O");
          const std::string after = Send(content);
          SCOPED_TRACE(content + " " + after);
          EXPECT_EQ(after.find('R') != std::string::npos, !other_deletes);
          EXPECT_EQ(after.find('O') != std::string::npos, !own_deletes);
          for (uint32_t i = 0; i < 4; ++i) {
            const bool gone = (own_deletes && own == i) || (other_deletes && other == i);
            EXPECT_EQ(after.find(base[i]) == std::string::npos, gone);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace cursorwire::collab
