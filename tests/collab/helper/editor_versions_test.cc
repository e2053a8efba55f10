#include "collab/helper/editor_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
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
  // "abc" is given, and after this time this comes behind it.
  void GiveAndReplace(milliseconds after, std::string_view inserted) {
    versions_ = EditorVersions();
    text_ = "abc";
    Give();
    now_ += after;
    Replace(3, 0, inserted);
    Give();
  }
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

// From the newest text it is nearer to change the line of the other one.
TEST_F(EditorVersionsTest, ALineThatCrossesOneThatIsLikeItKeepsIt) {
  for (const auto& [theirs, ours] :
       {std::pair("- apples\n", "- pears\n"), std::pair("- a\n", "- b\n"),
        std::pair("TODO: call Ann\n", "TODO: call Bob\n")}) {
    versions_ = EditorVersions();
    text_ = "list:\n";
    Give();
    now_ += milliseconds(5000);
    Replace(6, 0, theirs);
    Give();
    now_ += milliseconds(5);
    const std::string both = Send(std::string("list:\n") + ours);
    EXPECT_THAT(both, testing::HasSubstr(theirs));
    EXPECT_THAT(both, testing::HasSubstr(ours));
  }
}

TEST_F(EditorVersionsTest, AnEditThatMayBeOfAnotherTextIsDoubtful) {
  text_ = "one two three";
  Give();
  now_ += milliseconds(5000);
  Replace(0, 3, "eins");
  Give();
  // Neither is plain.
  EXPECT_TRUE(versions_.Compare("eins 2 drei", now_).is_doubtful);
  EXPECT_FALSE(versions_.Compare("eins two three four", now_).is_doubtful);
  // Only one can be meant.
  now_ += milliseconds(100000);
  EXPECT_FALSE(versions_.Compare("eins 2 drei", now_).is_doubtful);
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

TEST_F(EditorVersionsTest, ASilentEditorMayHaveATextForAMinuteAfterItGaveWay) {
  for (const int late : {2001, 10000, 60000, 60001}) {
    SCOPED_TRACE(late);
    GiveAndReplace(milliseconds(60000), "REMOTE");  // it is the newest all the time
    now_ += milliseconds(late);
    EXPECT_EQ(Send("abcd"), late <= 60000 ? "abcdREMOTE" : "abcd");
  }
}

TEST_F(EditorVersionsTest, AnEditorThatSaysSomethingHasReadTwoSecondsLater) {
  for (const int late : {0, 2000, 2001}) {
    SCOPED_TRACE(late);
    GiveAndReplace(milliseconds(0), "REMOTE");
    now_ += milliseconds(10000);
    versions_.NoteAwake(now_);
    now_ += milliseconds(late / 2);
    versions_.NoteAwake(now_);  // the first time counts
    now_ += milliseconds(late - late / 2);
    EXPECT_EQ(Send("abcd"), late <= 2000 ? "abcdREMOTE" : "abcd");
  }
}

TEST_F(EditorVersionsTest, AnEditorThatBecomesBusyAfterALineHasReadNothing) {
  for (const int said : {0, 10, 1999, 2000}) {
    SCOPED_TRACE(said);
    GiveAndReplace(milliseconds(0), "REMOTE");
    now_ += milliseconds(said);
    versions_.NoteAwake(now_);
    now_ += milliseconds(20000);
    versions_.NoteAwake(now_);  // what was typed meanwhile comes now
    EXPECT_EQ(Send("abcd"), said < 2000 ? "abcdREMOTE" : "abcd");
  }
}

TEST_F(EditorVersionsTest, WhatAnEditorSaidBeforeSaysNothing) {
  text_ = "abc";
  Give();
  versions_.NoteAwake(now_);
  now_ += milliseconds(10000);
  Replace(3, 0, "REMOTE");
  Give();
  now_ += milliseconds(10000);
  EXPECT_EQ(Send("abcd"), "abcdREMOTE");
}

TEST_F(EditorVersionsTest, AnOldTextIsGoneBackToTwoSecondsAfterItGaveWay) {
  for (const int late : {2000, 2001, 30000}) {
    SCOPED_TRACE(late);
    GiveAndReplace(milliseconds(0), "REMOTE");
    now_ += milliseconds(late);
    EXPECT_EQ(Send("abc"), late <= 2000 ? "abcREMOTE" : "abc");
  }
}

TEST_F(EditorVersionsTest, AnOldTextIsGoneBackToThroughManySteps) {
  for (size_t length = 3; length < 9; ++length) {
    SCOPED_TRACE(length);
    GiveAndReplace(milliseconds(0), "R");
    for (const char* const c : {"E", "M", "O", "T", "E"}) {
      Replace(static_cast<uint32_t>(text_.size()), 0, c);
      Give();
    }
    now_ += milliseconds(3000);
    const std::string before = text_.substr(0, length);
    EXPECT_EQ(Send(before), before);
    EXPECT_EQ(Send(before + "!"), before + "!");
  }
}

TEST_F(EditorVersionsTest, WhatOthersWroteCanBeDeletedOrAddedToAfterTwoSeconds) {
  for (const char* const sent : {"hell foo", "hello", "hello x world foo", "o world foo", ""}) {
    SCOPED_TRACE(sent);
    versions_ = EditorVersions();
    text_ = "";
    Give();
    for (const char c : std::string("hello world foo")) {
      Replace(static_cast<uint32_t>(text_.size()), 0, std::string(1, c));
      Give();
    }
    now_ += milliseconds(2001);
    EXPECT_EQ(Send(sent), sent);
  }
}

TEST_F(EditorVersionsTest, ManyTextsOfABusyEditorCount) {
  for (const int given : {16, 255, 1000}) {
    SCOPED_TRACE(given);
    versions_ = EditorVersions();
    text_ = "abc";
    Give();
    for (int i = 0; i < given; ++i) {
      Replace(3, 0, "REMOTE");
      Give();
      EXPECT_LE(versions_.size(), EditorVersions::kMaxVersions);
      now_ += milliseconds(10000 / given);
    }
    const std::string rest = text_.substr(3);
    EXPECT_EQ(Send("0abc"), "0abc" + rest);
  }
}

TEST_F(EditorVersionsTest, ATextThatWentLeavesOneThatIsNear) {
  text_ = "abc";
  Give();
  for (int i = 0; i < 1000; ++i) {
    Replace(static_cast<uint32_t>(text_.size()), 0,
            std::string(1, static_cast<char>('a' + i % 26)));
    Give();
    now_ += milliseconds(10);
  }
  const std::string rest = text_.substr(400);
  const std::string after = Send("0" + text_.substr(0, 400));
  EXPECT_GT(after.size(), 950u) << "a little of what others wrote is lost";
  EXPECT_LT(after.size(), 1060u) << "or doubled";
}

TEST_F(EditorVersionsTest, TextsOfSixtyFourMebibytesAreKept) {
  text_ = std::string(1'000'000, '.');
  for (int i = 0; i < 200; ++i) {
    Replace(500'000, 0, "R");
    Give();
    EXPECT_LE(versions_.size(), 67u);
  }
  EXPECT_GT(versions_.size(), 30u);
  const std::string first = std::string(1'000'000, '.').replace(500'000, 0, "R");
  EXPECT_EQ(Send("0" + first).size(), 1'000'201u);
}

TEST_F(EditorVersionsTest, ATextOverAllBoundsIsKeptWhileItIsTheNewest) {
  text_ = std::string(EditorVersions::kMaxBytes + 1, '.');
  Give();
  EXPECT_EQ(versions_.size(), 1u);
  Replace(0, 0, "R");
  Give();
  EXPECT_EQ(versions_.size(), 1u);
  EXPECT_EQ(versions_.last(), text_);
}

TEST_F(EditorVersionsTest, TheSameTextAgainIsNoOther) {
  text_ = "abc";
  for (int i = 0; i < 5; ++i) Give();
  EXPECT_EQ(versions_.size(), 1u);
  Replace(0, 1, "a");
  Give();
  EXPECT_EQ(versions_.size(), 2u) << "it has another character";
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
