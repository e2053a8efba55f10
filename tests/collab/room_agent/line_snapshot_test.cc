#include "collab/room_agent/line_snapshot.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/status_matchers.h"

namespace cursorwire::room_agent {
namespace {

using test::IsOk;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// A text that a person and this program have open; each sees at once what the other writes, unless
// it is held back.
class SharedLines {
 public:
  explicit SharedLines(std::string_view text) {
    Type(0, 0, text);
    Deliver();
    snapshot_ = std::make_unique<LineSnapshot>(ours_, "t");
  }

  LineSnapshot& snapshot() { return *snapshot_; }
  std::string text() const { return ours_.Text("t"); }
  std::string their_text() const { return theirs_.Text("t"); }

  // The person writes.
  void Type(uint32_t at, uint32_t count, std::string_view text) {
    const absl::StatusOr<std::string> update =
        theirs_.Splice("t", crdt::Unit::kBytes, at, count, text);
    ASSERT_THAT(update, IsOk());
    if (!update->empty()) to_us_.push_back(*update);
    if (!held_) Deliver();
  }
  // In place of the first occurrence of `old`.
  void Change(std::string_view old, std::string_view text) {
    const size_t at = their_text().find(old);
    ASSERT_NE(at, std::string::npos) << old;
    Type(static_cast<uint32_t>(at), static_cast<uint32_t>(old.size()), text);
  }
  void TypeBefore(std::string_view place, std::string_view text) {
    Type(static_cast<uint32_t>(their_text().find(place)), 0, text);
  }
  void TypeBehind(std::string_view place, std::string_view text) {
    Type(static_cast<uint32_t>(their_text().find(place) + place.size()), 0, text);
  }

  absl::Status Replace(uint32_t start, uint32_t end, std::string_view lines) {
    return Keep(snapshot_->Replace(start, end, lines));
  }
  absl::Status Insert(uint32_t line, std::string_view lines) {
    return Keep(snapshot_->InsertBefore(line, lines));
  }
  std::string Show(uint32_t start, uint32_t end) {
    const absl::StatusOr<std::string> shown = snapshot_->Show(start, end);
    return shown.ok() ? *shown : std::string(shown.status().message());
  }
  const std::optional<AppliedEdit>& last_edit() const { return last_edit_; }

  bool held() const { return held_; }
  void Hold(bool held) {
    held_ = held;
    if (!held) Deliver();
  }
  void Deliver() {
    for (const std::string& update : to_us_) ASSERT_THAT(ours_.Apply(update), IsOk());
    for (const std::string& update : to_them_) ASSERT_THAT(theirs_.Apply(update), IsOk());
    to_us_.clear();
    to_them_.clear();
  }

 private:
  absl::Status Keep(const absl::StatusOr<std::optional<AppliedEdit>>& edit) {
    last_edit_.reset();
    if (!edit.ok()) return edit.status();
    last_edit_ = *edit;
    if (last_edit_) {
      to_them_.insert(to_them_.end(), last_edit_->updates.begin(), last_edit_->updates.end());
    }
    if (!held_) Deliver();
    return absl::OkStatus();
  }

  yjs::Document theirs_{7, [] { return uint64_t{1007}; }};
  yjs::Document ours_{9, [] { return uint64_t{1009}; }};
  std::unique_ptr<LineSnapshot> snapshot_;
  bool held_ = false;
  std::vector<std::string> to_us_;
  std::vector<std::string> to_them_;
  std::optional<AppliedEdit> last_edit_;
};

constexpr auto kAborted = absl::StatusCode::kAborted;
constexpr auto kOutOfRange = absl::StatusCode::kOutOfRange;
constexpr auto kFailedPrecondition = absl::StatusCode::kFailedPrecondition;

// --- the lines

TEST(LineSnapshot, CountsLines) {
  const struct {
    const char* name;
    std::string text;
    std::vector<std::string_view> lines;
  } kCases[] = {
      {"empty", "", {}},
      {"an empty line", "\n", {""}},
      {"without line feed", "a\nb", {"a", "b"}},
      {"with line feed", "a\nb\n", {"a", "b"}},
      {"empty at the end", "a\n\n", {"a", ""}},
      {"carriage returns", "a\r\nb\r\n", {"a\r", "b\r"}},
      {"not ASCII", "\xc3\xa4\n\xf0\x9f\x98\x80", {"\xc3\xa4", "\xf0\x9f\x98\x80"}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    SharedLines shared(c.text);
    const LineSnapshot& snapshot = shared.snapshot();
    EXPECT_EQ(snapshot.text(), c.text);
    ASSERT_EQ(snapshot.line_count(), c.lines.size());
    for (uint32_t i = 0; i < c.lines.size(); ++i) EXPECT_EQ(snapshot.Line(i + 1), c.lines[i]);
  }
}

TEST(LineSnapshot, RefusesNumbersThatItDoesNotHave) {
  SharedLines shared("a\nb\n");
  EXPECT_THAT(shared.Replace(0, 1, "x"), StatusIs(kOutOfRange, HasSubstr("Document has 2 lines.")));
  EXPECT_THAT(shared.Replace(2, 3, "x"), StatusIs(kOutOfRange));
  EXPECT_THAT(shared.Replace(2, 1, "x"), StatusIs(kOutOfRange, HasSubstr("start_line")));
  EXPECT_THAT(shared.Insert(0, "x"), StatusIs(kOutOfRange));
  EXPECT_THAT(shared.Insert(4, "x"), StatusIs(kOutOfRange, HasSubstr("before line 1 to 3")));
  EXPECT_THAT(shared.Insert(1, ""), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(shared.snapshot().Show(1, 3), StatusIs(kOutOfRange));
  EXPECT_EQ(shared.text(), "a\nb\n");
}

// --- edits of nobody else

struct LineEdit {
  uint32_t start = 0;
  uint32_t end = 0;  // 0: an insert
  std::string lines{};
};

TEST(LineSnapshot, EditsByTheNumbersOfTheStart) {
  const struct {
    const char* name;
    std::string text;
    std::vector<LineEdit> edits;
    std::string result;
  } kCases[] = {
      {"replace", "a\nb\nc", {{2, 2, "B"}}, "a\nB\nc"},
      {"replace from the bottom", "a\nb\nc", {{3, 3, "C"}, {1, 2, "X\nY\nZ"}}, "X\nY\nZ\nC"},
      {"replace from the top", "a\nb\nc", {{1, 2, "X\nY\nZ"}, {3, 3, "C"}}, "X\nY\nZ\nC"},
      {"neighbours of each other",
       "a\nb\nc\nd\n",
       {{2, 3, "X"}, {4, 0, "i"}, {1, 1, "A\nB"}, {4, 4, "D"}},
       "A\nB\nX\ni\nD\n"},
      {"neighbours that were deleted",
       "a\nb\nc\nd\n",
       {{2, 2, ""}, {3, 3, ""}, {1, 1, "A"}, {4, 4, "D"}},
       "A\nD\n"},
      {"insert at line 1", "a\nb", {{1, 0, "x"}}, "x\na\nb"},
      {"insert at N + 1 without final newline", "a\nb", {{3, 0, "x"}, {3, 0, "y"}}, "a\nb\nx\ny"},
      {"insert at N + 1", "a\nb\n", {{3, 0, "x"}, {3, 0, "y"}}, "a\nb\nx\ny\n"},
      {"insert at N without final newline", "a\nb", {{2, 0, "x"}}, "a\nx\nb"},
      {"inserts at one line in the order of the calls",
       "a\nb\n",
       {{2, 0, "1"}, {2, 0, "2\n3"}, {2, 0, "4"}},
       "a\n1\n2\n3\n4\nb\n"},
      {"empty file", "", {{1, 0, "x"}, {1, 0, "y"}}, "x\ny\n"},
      {"CRLF content", "a\nb\nc\n", {{2, 2, "x\r\ny\r\n"}}, "a\nx\ny\nc\n"},
      {"\\n content", "a\nb\nc\n", {{2, 2, "\n"}, {1, 0, "\n"}}, "\na\n\nc\n"},
      {"\\n content at the end", "a\nb", {{2, 2, "\n"}}, "a\n\n"},
      {"delete the last line", "a\nb", {{2, 2, ""}}, "a"},
      {"delete the last line, and insert there",
       "a\nb",
       {{2, 2, ""}, {2, 0, "x"}, {3, 0, "y"}},
       "a\nx\ny"},
      {"delete the last line, and change the one before", "a\nb", {{2, 2, ""}, {1, 1, "A"}}, "A"},
      {"delete all from the end", "a\nb\nc", {{3, 3, ""}, {2, 2, ""}, {1, 1, ""}}, ""},
      {"delete all from the start", "a\nb\nc", {{1, 1, ""}, {2, 2, ""}, {3, 3, ""}}, ""},
      {"delete all, and write anew", "a\nb", {{1, 2, ""}, {1, 2, "x"}, {3, 0, "y"}}, "x\ny"},
      {"again", "a\nb\nc\n", {{2, 2, "x\ny"}, {2, 2, "z"}, {1, 1, "A"}}, "A\nz\nc\n"},
      {"again after a delete",
       "a\nb\nc\n",
       {{2, 2, ""}, {3, 0, "i"}, {2, 0, "h"}, {2, 2, "x"}, {2, 2, "y"}},
       "a\nh\ny\ni\nc\n"},
      {"again at the end without newline",
       "a\nb",
       {{2, 2, "x"}, {3, 0, "i"}, {2, 2, "y"}},
       "a\ny\ni"},
      {"again, and delete", "a\nb\nc", {{2, 3, "x"}, {2, 3, ""}, {2, 3, "y\nz"}}, "a\ny\nz"},
      {"inserts at a deleted range, by line",
       "a\nb\nc\nd\n",
       {{2, 3, ""}, {4, 0, "4"}, {2, 0, "2"}, {3, 0, "3"}, {3, 0, "3b"}},
       "a\n2\n3\n3b\n4\nd\n"},
      {"inserts around a replaced range",
       "a\nb\nc\nd\n",
       {{2, 3, "x"}, {2, 0, "before"}, {4, 0, "behind"}},
       "a\nbefore\nx\nbehind\nd\n"},
      {"inserts before it was replaced",
       "a\nb\nc\nd\n",
       {{2, 0, "before"}, {4, 0, "behind"}, {2, 3, "x"}},
       "a\nbefore\nx\nbehind\nd\n"},
      {"empty lines", "\n\n\n", {{2, 2, "x"}, {2, 0, "y"}, {3, 3, ""}}, "\ny\nx\n"},
      {"nothing is different", "a\nb\n", {{1, 2, "a\nb\n"}, {1, 1, "A"}}, "A\nb\n"},
      {"not ASCII",
       "\xc3\xa4\n\xf0\x9f\x98\x80\nc",
       {{3, 3, "\xf0\x9f\x98\x80"}, {4, 0, "\xc3\xbc"}, {2, 2, "x"}, {3, 3, "y"}},
       "\xc3\xa4\nx\ny\n\xc3\xbc"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    SharedLines shared(c.text);
    for (const LineEdit& edit : c.edits) {
      SCOPED_TRACE(absl::StrCat(edit.start, "-", edit.end));
      EXPECT_THAT(edit.end == 0 ? shared.Insert(edit.start, edit.lines)
                                : shared.Replace(edit.start, edit.end, edit.lines),
                  IsOk());
    }
    EXPECT_EQ(shared.text(), c.result);
    EXPECT_EQ(shared.their_text(), c.result);
  }
}

TEST(LineSnapshot, TellsWhatAnEditDid) {
  const struct {
    const char* name;
    std::string text;
    LineEdit edit;
    uint32_t start_line;
    uint32_t end_line;
    uint32_t lines;
    uint32_t end_byte;
  } kCases[] = {
      {"replace", "a\nb\nc\n", {2, 2, "x\ny"}, 2, 2, 2, 5},
      {"replace with equal lines", "a\nb\nc\n", {1, 3, "a\nx\nc"}, 1, 3, 3, 5},
      {"insert", "a\nb\n", {2, 0, "x"}, 2, 1, 1, 3},
      {"append", "a\nb", {3, 0, "x\ny"}, 3, 2, 2, 7},
      {"delete", "a\nb\nc\n", {2, 3, ""}, 2, 3, 0, 2},
      {"delete the last one", "a\nb", {2, 2, ""}, 2, 2, 0, 1},
      {"delete all", "a\nb", {1, 2, ""}, 1, 2, 0, 0},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    SharedLines shared(c.text);
    ASSERT_THAT(c.edit.end == 0 ? shared.Insert(c.edit.start, c.edit.lines)
                                : shared.Replace(c.edit.start, c.edit.end, c.edit.lines),
                IsOk());
    ASSERT_TRUE(shared.last_edit());
    EXPECT_EQ(shared.last_edit()->start_line, c.start_line);
    EXPECT_EQ(shared.last_edit()->end_line, c.end_line);
    EXPECT_EQ(shared.last_edit()->lines, c.lines);
    EXPECT_EQ(shared.last_edit()->end_byte, c.end_byte);
  }
}

TEST(LineSnapshot, TellsLinesOfTheTextAtThatMoment) {
  SharedLines shared("a\nb\nc\n");
  ASSERT_THAT(shared.Replace(1, 1, "x\ny\nz"), IsOk());
  shared.Type(0, 0, "top\n");
  ASSERT_THAT(shared.Replace(3, 3, "C"), IsOk());
  EXPECT_EQ(shared.last_edit()->start_line, 6U);
  EXPECT_EQ(shared.last_edit()->end_line, 6U);
}

TEST(LineSnapshot, ReportsNothingWhereNothingHasChanged) {
  SharedLines shared("a\nb\n");
  EXPECT_THAT(shared.Replace(1, 2, "a\r\nb"), IsOk());
  EXPECT_FALSE(shared.last_edit());
  EXPECT_THAT(shared.Replace(2, 2, "B"), IsOk());
  EXPECT_TRUE(shared.last_edit());
}

TEST(LineSnapshot, RefusesLinesThatItHasReplaced) {
  SharedLines shared("a\nb\nc\nd\ne\n");
  ASSERT_THAT(shared.Replace(2, 3, "x\ny\nz"), IsOk());
  for (const auto& [start, end] : {std::pair(2U, 2U), std::pair(3U, 3U), std::pair(1U, 2U),
                                   std::pair(3U, 4U), std::pair(1U, 5U), std::pair(2U, 4U)}) {
    SCOPED_TRACE(absl::StrCat(start, "-", end));
    EXPECT_THAT(shared.Replace(start, end, "!"),
                StatusIs(kFailedPrecondition, HasSubstr("lines 2-3 were replaced by you")));
  }
  EXPECT_THAT(shared.Insert(3, "!"),
              StatusIs(kFailedPrecondition, HasSubstr("before line 2 or 4")));
  ASSERT_THAT(shared.Replace(5, 5, ""), IsOk());
  EXPECT_THAT(shared.Replace(4, 5, "!"),
              StatusIs(kFailedPrecondition, HasSubstr("line 5 were replaced by you")));
  EXPECT_EQ(shared.text(), "a\nx\ny\nz\nd\n");
}

TEST(LineSnapshot, ShowsItsOwnInsertsBeforeTheyAreReplaced) {
  SharedLines shared("a\nb\nc\n");
  ASSERT_THAT(shared.Insert(2, "i"), IsOk());
  EXPECT_THAT(shared.Replace(1, 2, "x"), StatusIs(kAborted, HasSubstr("1: a\n+: i\n2: b\n")));
  ASSERT_THAT(shared.Replace(1, 2, "x"), IsOk());
  EXPECT_EQ(shared.text(), "x\nc\n");
  ASSERT_THAT(shared.Insert(1, "top"), IsOk());
  ASSERT_THAT(shared.Replace(3, 3, "C"), IsOk());
  EXPECT_EQ(shared.text(), "top\nx\nC\n");
}

// --- edits of people

TEST(LineSnapshot, PersonEditsTheRangeBetweenReadAndReplace) {
  SharedLines shared("a\nb\nc\n");
  EXPECT_EQ(shared.Show(1, 3), "1: a\n2: b\n3: c");
  shared.Change("b", "bee");
  EXPECT_THAT(shared.Replace(2, 2, "x"),
              StatusIs(kAborted, AllOf(HasSubstr("line 2 changed meanwhile"),
                                       HasSubstr("\n2: bee\n"), HasSubstr("same call again"))));
  EXPECT_EQ(shared.text(), "a\nbee\nc\n");
  EXPECT_THAT(shared.Replace(2, 2, "x"), IsOk());
  EXPECT_EQ(shared.text(), "a\nx\nc\n");
}

TEST(LineSnapshot, WhatWasShownCounts) {
  SharedLines shared("a\nb\nc\n");
  shared.Change("b", "bee");
  EXPECT_EQ(shared.Show(1, 3), "1: a\n2: bee\n3: c\n(Since the lines were numbered: changed: 2.)");
  EXPECT_THAT(shared.Replace(2, 3, "x"), IsOk());
  EXPECT_EQ(shared.text(), "a\nx\n");
}

TEST(LineSnapshot, WhatWasShownCountsOnlyUntilItChangesAgain) {
  SharedLines shared("a\nb\nc\n");
  shared.Change("b", "bee");
  EXPECT_THAT(shared.Replace(2, 2, "x"), StatusIs(kAborted));
  shared.Change("bee", "b");
  EXPECT_THAT(shared.Replace(2, 2, "x"), StatusIs(kAborted, HasSubstr("2: b\n")));
  EXPECT_THAT(shared.Replace(2, 2, "x"), IsOk());
}

TEST(LineSnapshot, AChangeThatWasUndoneIsNone) {
  SharedLines shared("a\nb\nc\nd\n");
  shared.Change("b\nc\n", "");
  shared.TypeBefore("d", "b\nc\n");
  EXPECT_THAT(shared.Replace(2, 3, "x"), IsOk());
  EXPECT_EQ(shared.text(), "a\nx\nd\n");
}

TEST(LineSnapshot, FindsLinesThatWereDeletedAndRestored) {
  const struct {
    const char* name;
    std::string old;
    std::string restored;
    std::string result;  // of an insert before 3, and a replacement of 3
  } kCases[] = {
      {"some lines", "b\nc\n", "b\nc\n", "a\nb\nI\nX\nd\n"},
      {"with the line feed before", "\nb\nc", "\nb\nc", "a\nb\nI\nX\nd\n"},
      {"within lines", "\nb\n", "\nb\n", "a\nb\nI\nX\nd\n"},
      {"all of it", "a\nb\nc\nd\n", "a\nb\nc\nd\n", "a\nb\nI\nX\nd\n"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    SharedLines shared("a\nb\nc\nd\n");
    const auto at = static_cast<uint32_t>(shared.their_text().find(c.old));
    shared.Change(c.old, "");
    shared.Type(at, 0, c.restored);
    EXPECT_THAT(shared.Insert(3, "I"), IsOk());
    EXPECT_THAT(shared.Replace(3, 3, "X"), IsOk());
    EXPECT_EQ(shared.text(), c.result);
    EXPECT_EQ(shared.Show(4, 4), "4: d");
  }
}

// Each case: what the person does to "a\nb\nc\nd\n", and what replacing 2-3, and inserting before 2
// and 4, then makes of it.
TEST(LineSnapshot, EditsOutsideOfTheRangeDoNotMatter) {
  struct Typed {
    std::string old;
    std::string text;
  };
  const struct {
    const char* name;
    std::vector<Typed> typed;
    std::string replaced;
    std::string inserted_before;
    std::string inserted_behind;
  } kCases[] = {
      {"nothing", {}, "a\nX\nd\n", "a\nI\nb\nc\nd\n", "a\nb\nc\nI\nd\n"},
      {"person inserts above",
       {{"a\n", "top\na\n"}},
       "top\na\nX\nd\n",
       "top\na\nI\nb\nc\nd\n",
       "top\na\nb\nc\nI\nd\n"},
      {"person inserts at the line's start",
       {{"b", "new\nb"}},
       "a\nnew\nX\nd\n",
       "a\nnew\nI\nb\nc\nd\n",
       "a\nnew\nb\nc\nI\nd\n"},
      {"person inserts at the end of the line before",
       {{"a", "a\nnew"}},
       "a\nnew\nX\nd\n",
       "a\nnew\nI\nb\nc\nd\n",
       "a\nnew\nb\nc\nI\nd\n"},
      {"person inserts at the end of the range",
       {{"c", "c\nnew"}},
       "a\nX\nnew\nd\n",
       "a\nI\nb\nc\nnew\nd\n",
       "a\nb\nc\nnew\nI\nd\n"},
      {"person inserts at the start of the line behind",
       {{"d", "new\nd"}},
       "a\nX\nnew\nd\n",
       "a\nI\nb\nc\nnew\nd\n",
       "a\nb\nc\nnew\nI\nd\n"},
      {"the line before is gone", {{"a\n", ""}}, "X\nd\n", "I\nb\nc\nd\n", "b\nc\nI\nd\n"},
      {"the line behind is gone", {{"d\n", ""}}, "a\nX\n", "a\nI\nb\nc\n", "a\nb\nc\nI\n"},
      {"the last line feed is gone", {{"d\n", "d"}}, "a\nX\nd", "a\nI\nb\nc\nd", "a\nb\nc\nI\nd"},
      {"the line before is another",
       {{"a", "other"}},
       "other\nX\nd\n",
       "other\nI\nb\nc\nd\n",
       "other\nb\nc\nI\nd\n"},
      {"the lines around are others",
       {{"a\n", "o\n"}, {"d\n", "p\n"}},
       "o\nX\np\n",
       "o\nI\nb\nc\np\n",
       "o\nb\nc\nI\np\n"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    for (int i = 0; i < 3; ++i) {
      SharedLines shared("a\nb\nc\nd\n");
      for (const Typed& typed : c.typed) {
        // As one types: without deleting what stays.
        const size_t kept = typed.text.find(typed.old);
        if (kept == std::string::npos) {
          shared.Change(typed.old, typed.text);
        } else if (kept == 0) {
          shared.TypeBehind(typed.old, typed.text.substr(typed.old.size()));
        } else {
          shared.TypeBefore(typed.old, typed.text.substr(0, kept));
        }
      }
      EXPECT_THAT(i == 0 ? shared.Replace(2, 3, "X") : shared.Insert(i == 1 ? 2 : 4, "I"), IsOk());
      EXPECT_EQ(shared.text(), i == 0   ? c.replaced
                               : i == 1 ? c.inserted_before
                                        : c.inserted_behind);
      EXPECT_EQ(shared.text(), shared.their_text());
    }
  }
}

// The same for changes of the range itself, for which the call has to be made twice.
TEST(LineSnapshot, EditsWithinTheRangeAreShownFirst) {
  const struct {
    const char* name;
    std::string old;
    std::string text;
    std::string shown;
    std::string replaced;
    std::string deleted;
    std::string inserted;  // before line 2
  } kCases[] = {
      {"a letter", "b", "B", "2: B\n3: c\n", "a\nX\nd\n", "a\nd\n", "a\nI\nB\nc\nd\n"},
      {"a line between", "b\nc", "b\nnew\nc", "2: b\n+: new\n3: c\n", "a\nX\nd\n", "a\nd\n",
       "a\nI\nb\nnew\nc\nd\n"},
      {"a line less", "c\n", "", "2: b\n", "a\nX\nd\n", "a\nd\n", "a\nI\nb\nd\n"},
      {"all gone", "b\nc\n", "", "gone: 2-3", "a\nX\nd\n", "a\nd\n", "a\nI\nd\n"},
      {"all gone with the line feed before", "\nb\nc", "", "gone: 2", "a\nX\nd\n", "a\nd\n",
       "a\nI\nd\n"},
      {"joined with the line before", "a\nb", "ab", "2: b\n3: c\n", "a\nX\nd\n", "a\nd\n",
       "I\nab\nc\nd\n"},
      {"joined with the line behind", "c\nd", "cd", "2: b\n3: c\n", "a\nX\nd\n", "a\nd\n",
       "a\nI\nb\ncd\n"},
      {"text in front", "b", "new b", "2: new b\n3: c\n", "a\nX\nd\n", "a\nd\n",
       "a\nI\nnew b\nc\nd\n"},
      {"the whole text is deleted", "a\nb\nc\nd\n", "", "gone: 2-3", "X\n", "", "I\n"},
      {"the whole text is another", "a\nb\nc\nd\n", "other\n", "gone: 2-3", "X\nother\n", "other\n",
       "I\nother\n"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    for (const bool deletes : {false, true}) {
      SharedLines shared("a\nb\nc\nd\n");
      // Only what differs, as editors do.
      size_t same = 0;
      while (same < c.old.size() && same < c.text.size() && c.old[same] == c.text[same]) ++same;
      size_t end = 0;
      while (end < c.old.size() - same && end < c.text.size() - same &&
             c.old[c.old.size() - 1 - end] == c.text[c.text.size() - 1 - end]) {
        ++end;
      }
      const auto at = static_cast<uint32_t>(shared.their_text().find(c.old) + same);
      shared.Type(at, static_cast<uint32_t>(c.old.size() - same - end),
                  c.text.substr(same, c.text.size() - same - end));
      EXPECT_THAT(shared.Replace(2, 3, deletes ? "" : "X"), StatusIs(kAborted, HasSubstr(c.shown)));
      EXPECT_THAT(shared.Replace(2, 3, deletes ? "" : "X"), IsOk());
      EXPECT_EQ(shared.text(), deletes ? c.deleted : c.replaced);
      EXPECT_EQ(shared.text(), shared.their_text());
      if (deletes) continue;

      SharedLines other("a\nb\nc\nd\n");
      other.Type(at, static_cast<uint32_t>(c.old.size() - same - end),
                 c.text.substr(same, c.text.size() - same - end));
      EXPECT_THAT(other.Insert(2, "I"), IsOk());
      EXPECT_EQ(other.text(), c.inserted);
    }
  }
}

TEST(LineSnapshot, InsertsBeforeAnEmptyLineThatIsNoneAnyMore) {
  SharedLines shared("a\n\nb\n");
  shared.Type(2, 0, "typed");
  ASSERT_THAT(shared.Insert(2, "I"), IsOk());
  EXPECT_EQ(shared.text(), "a\nI\ntyped\nb\n");
  ASSERT_THAT(shared.Insert(2, "J"), IsOk());
  EXPECT_EQ(shared.text(), "a\nI\nJ\ntyped\nb\n");
}

TEST(LineSnapshot, InsertsWhereDeletedLinesWere) {
  SharedLines shared("a\nb\nc\nd\n");
  shared.Change("b\nc\n", "");
  ASSERT_THAT(shared.Insert(3, "3"), IsOk());
  ASSERT_THAT(shared.Insert(4, "4"), IsOk());
  ASSERT_THAT(shared.Insert(2, "2"), IsOk());
  ASSERT_THAT(shared.Insert(3, "3b"), IsOk());
  EXPECT_EQ(shared.text(), "a\n2\n3\n3b\n4\nd\n");
}

TEST(LineSnapshot, LinesOfPeopleStayWhereARangeIsReplacedAgain) {
  SharedLines shared("a\nb\nc\n");
  ASSERT_THAT(shared.Replace(2, 2, "x"), IsOk());
  shared.TypeBehind("x", "\nbehind");
  shared.TypeBefore("x", "before\n");
  ASSERT_THAT(shared.Replace(2, 2, "y\nz"), IsOk());
  EXPECT_EQ(shared.text(), "a\nbefore\ny\nz\nbehind\nc\n");
  shared.Change("y", "yy");
  EXPECT_THAT(shared.Replace(2, 2, "v"), StatusIs(kAborted, HasSubstr("2: yy\n+: z\n")));
  EXPECT_THAT(shared.Replace(2, 2, "v"), IsOk());
  EXPECT_EQ(shared.text(), "a\nbefore\nv\nbehind\nc\n");
}

TEST(LineSnapshot, EqualLinesAreToldApart) {
  SharedLines shared("}\n}\n}\n");
  shared.Type(2, 0, "}\n");
  ASSERT_THAT(shared.Replace(2, 2, "x"), IsOk());
  EXPECT_EQ(shared.text(), "}\n}\nx\n}\n");
}

TEST(LineSnapshot, EditsThatCrossConverge) {
  SharedLines shared("a\nb\nc\nd\n");
  shared.Hold(true);
  shared.TypeBehind("a", "\nnew");
  shared.Change("d", "dee");
  ASSERT_THAT(shared.Replace(2, 3, "X\nY"), IsOk());
  shared.Hold(false);
  EXPECT_EQ(shared.text(), "a\nnew\nX\nY\ndee\n");
  EXPECT_EQ(shared.text(), shared.their_text());
  ASSERT_THAT(shared.Insert(2, "I"), IsOk());
  EXPECT_EQ(shared.text(), "a\nnew\nI\nX\nY\ndee\n");
}

// --- what is shown

TEST(LineSnapshot, ShowsTheTextAsItIsNow) {
  SharedLines shared("a\nb\nc\nd\ne\nf\n");
  ASSERT_THAT(shared.Replace(2, 3, "x\ny"), IsOk());
  ASSERT_THAT(shared.Insert(5, "i"), IsOk());
  ASSERT_THAT(shared.Replace(6, 6, ""), IsOk());
  shared.Change("a\n", "");
  shared.TypeBehind("d", "!");
  shared.TypeBehind("e", "\nnew");
  EXPECT_EQ(shared.Show(1, 6),
            "2: x\n+: y\n4: d!\n+: i\n5: e\n+: new\n"
            "(Since the lines were numbered: changed: 4; gone: 1; replaced by you: 2-3; deleted by "
            "you: 6; lines marked + are new and unnumbered.)");
  EXPECT_EQ(shared.Show(5, 5),
            "5: e\n+: new\n"
            "(Since the lines were numbered: lines marked + are new and unnumbered.)");
  EXPECT_EQ(shared.Show(3, 3),
            "2: x\n+: y\n(Since the lines were numbered: replaced by you: 2-3; "
            "lines marked + are new and unnumbered.)");
}

TEST(LineSnapshot, ShowsNoMoreThanItsLimits) {
  std::string text;
  for (int i = 0; i < 3000; ++i) absl::StrAppend(&text, i, "\n");
  SharedLines shared(text);
  EXPECT_THAT(shared.Show(1, 3000),
              AllOf(HasSubstr("2000: 1999\n... (1000 more lines)"), Not(HasSubstr("2001:"))));
  EXPECT_THAT(shared.Show(1, 2000), Not(HasSubstr("more lines")));

  SharedLines wide(std::string(60000, 'x') + "\n" + std::string(60000, 'y') + "\n");
  EXPECT_THAT(wide.Show(1, 2), AllOf(HasSubstr("... (1 more lines)"), Not(HasSubstr("y"))));
  SharedLines widest(std::string(200000, 'x'));
  EXPECT_LT(widest.Show(1, 1).size(), 70000U);
  EXPECT_THAT(widest.Replace(1, 1, "y"), IsOk());
}

TEST(LineSnapshot, WhatDidNotFitWasNotShown) {
  std::string text;
  for (int i = 0; i < 2500; ++i) absl::StrAppend(&text, i, "\n");
  SharedLines shared(text);
  shared.Change("2400\n", "new\n");
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(shared.Replace(1, 2500, "x"), StatusIs(kAborted, HasSubstr("get_line_range")));
  }
  shared.Show(2001, 2500);
  EXPECT_THAT(shared.Replace(1, 2500, "x"), IsOk());
  EXPECT_EQ(shared.text(), "x\n");
}

TEST(LineSnapshot, NamesALineOfThePresentText) {
  SharedLines shared("a\nb\nc\nd\ne");
  ASSERT_THAT(shared.Replace(2, 3, "x\ny"), IsOk());
  ASSERT_THAT(shared.Insert(4, "i"), IsOk());
  shared.TypeBehind("e", "\nnew");
  shared.TypeBefore("a", "top\n");
  using Kind = PresentLine::Kind;
  const struct {
    std::string_view line;
    Kind kind;
    uint32_t start;
    uint32_t end;
  } kCases[] = {
      {"top", Kind::kNew, 1, 1},    {"a", Kind::kNumbered, 1, 1}, {"x", Kind::kReplaced, 2, 3},
      {"y", Kind::kReplaced, 2, 3}, {"i", Kind::kNew, 4, 4},      {"d", Kind::kNumbered, 4, 4},
      {"e", Kind::kNumbered, 5, 5}, {"new", Kind::kNew, 6, 6},
  };
  const std::string text = shared.text();
  ASSERT_EQ(text, "top\na\nx\ny\ni\nd\ne\nnew");
  uint32_t byte = 0;
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.line);
    const PresentLine line = shared.snapshot().PresentLineAt(text, byte);
    EXPECT_EQ(line.kind, c.kind);
    EXPECT_EQ(line.start, c.start);
    EXPECT_EQ(line.end, c.end);
    EXPECT_EQ(line.text, c.line);
    byte += static_cast<uint32_t>(c.line.size() + 1);
  }
}

// --- much text

TEST(LineSnapshot, TakesAHundredThousandLines) {
  std::string text;
  for (int i = 1; i <= 100000; ++i) absl::StrAppend(&text, "line ", i, "\n");
  SharedLines shared(text);
  ASSERT_EQ(shared.snapshot().line_count(), 100000U);
  shared.Type(0, 0, "top\n");
  ASSERT_THAT(shared.Replace(99999, 99999, "x"), IsOk());
  EXPECT_EQ(shared.last_edit()->start_line, 100000U);
  ASSERT_THAT(shared.Replace(2, 99998, ""), IsOk());
  ASSERT_THAT(shared.Insert(50000, "i"), IsOk());
  EXPECT_EQ(shared.text(), "top\nline 1\ni\nx\nline 100000\n");
}

TEST(LineSnapshot, RefusesTextThatIsTooLarge) {
  yjs::Document document(1, [] { return uint64_t{2}; });
  ASSERT_THAT(document.Splice("t", crdt::Unit::kBytes, 0, 0, std::string(kMaxSnapshotLines, '\n')),
              IsOk());
  EXPECT_THAT(LineSnapshot::CheckSize(document, "t"),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(LineSnapshot(document, "t").line_count(), 0U);
  EXPECT_THAT(LineSnapshot::CheckSize(document, "other"), IsOk());
}

// --- against a plain model

// The lines of a text, with what was put between them.
class PlainLines {
 public:
  explicit PlainLines(const std::vector<std::string>& lines, bool ends_open)
      : gaps_(lines.size() + 2),
        slots_(lines.size() + 2),
        ends_open_(ends_open),
        is_open_(ends_open) {
    for (size_t i = 0; i < lines.size(); ++i) slots_[i + 1] = {lines[i]};
  }

  std::vector<std::string>& gap(size_t line) { return gaps_[line]; }
  std::vector<std::string>& slot(size_t line) { return slots_[line]; }

  std::string Text() {
    std::vector<std::string> all;
    for (size_t i = 1; i < slots_.size(); ++i) {
      all.insert(all.end(), gaps_[i].begin(), gaps_[i].end());
      if (i + 1 < slots_.size()) all.insert(all.end(), slots_[i].begin(), slots_[i].end());
    }
    // An empty last line cannot be without line feed, which then stays.
    is_open_ = all.empty() ? ends_open_ : is_open_ && !all.back().empty();
    return absl::StrJoin(all, "\n") + (is_open_ || all.empty() ? "" : "\n");
  }

 private:
  std::vector<std::vector<std::string>> gaps_;
  std::vector<std::vector<std::string>> slots_;
  const bool ends_open_;
  bool is_open_;
};

class RandomLines {
 public:
  explicit RandomLines(uint32_t seed) : random_(seed) {}

  uint32_t Below(uint32_t count) { return std::uniform_int_distribution(0U, count - 1)(random_); }
  std::vector<std::string> Lines(uint32_t count) {
    std::vector<std::string> lines;
    for (uint32_t i = 0; i < count; ++i) lines.push_back(Line());
    return lines;
  }
  std::string Line() {
    static constexpr const char* kLines[] = {"", "}", "a", "ab", "\xc3\xa4", "\xf0\x9f\x98\x80x"};
    return kLines[Below(6)];
  }

 private:
  std::mt19937 random_;
};

std::string ContentOf(const std::vector<std::string>& lines) {
  return lines.empty() ? "" : absl::StrJoin(lines, "\n") + "\n";
}

TEST(LineSnapshot, AgreesWithAPlainModel) {
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    RandomLines random(seed);
    const uint32_t count = random.Below(12);
    std::vector<std::string> lines = random.Lines(count);
    const bool ends_open = count > 0 && !lines.back().empty() && random.Below(2) == 0;
    PlainLines model(lines, ends_open);
    SharedLines shared(model.Text());
    ASSERT_EQ(shared.snapshot().line_count(), count);
    std::vector<uint32_t> range_of(count + 2);  // the first line of its range; 0: not replaced
    std::vector<uint32_t> end_of(count + 2);
    for (uint32_t step = 0; step < 14; ++step) {
      SCOPED_TRACE(step);
      if (count == 0 || random.Below(3) == 0) {
        const uint32_t line = 1 + random.Below(count + 1);
        const std::vector<std::string> content = random.Lines(1 + random.Below(3));
        const uint32_t range = range_of[line];
        const bool is_inner =
            range != 0 && range != line && !model.slot(range).empty() && model.gap(line).empty();
        const absl::Status status = shared.Insert(line, ContentOf(content));
        if (is_inner) {
          ASSERT_THAT(status, StatusIs(kFailedPrecondition));
          continue;
        }
        ASSERT_THAT(status, IsOk());
        model.gap(line).insert(model.gap(line).end(), content.begin(), content.end());
      } else {
        uint32_t start = 1 + random.Below(count);
        uint32_t end = std::min(count, start + random.Below(3));
        if (range_of[start] != 0) {
          start = range_of[start];
          end = end_of[start];
        }
        const std::vector<std::string> content = random.Lines(random.Below(4));
        bool overlaps = false;
        bool has_inserts = false;
        for (uint32_t line = start; line <= end; ++line) {
          overlaps |= range_of[line] != 0 && range_of[line] != start;
          has_inserts |= range_of[line] == 0 && line > start && !model.gap(line).empty();
        }
        absl::Status status = shared.Replace(start, end, ContentOf(content));
        if (overlaps) {
          ASSERT_THAT(status, StatusIs(kFailedPrecondition));
          continue;
        }
        if (has_inserts && status.code() == kAborted) {  // they were not shown yet
          status = shared.Replace(start, end, ContentOf(content));
        }
        ASSERT_THAT(status, IsOk());
        if (shared.last_edit()) {
          for (uint32_t line = start; line <= end; ++line) {
            if (line > start && range_of[line] == 0) model.gap(line).clear();
            if (line > start) model.slot(line).clear();
            range_of[line] = start;
          }
          end_of[start] = end;
          model.slot(start) = content;
        }
      }
      const std::string expected = model.Text();
      ASSERT_EQ(shared.text(), expected);
      ASSERT_EQ(shared.their_text(), expected);
    }
  }
}

// A person works on some lines, and this program on others.
TEST(LineSnapshot, AgreesWithAPlainModelWhilePeopleWrite) {
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    RandomLines random(seed);
    // Lines of the person have names, so that they are found.
    const uint32_t blocks = 1 + random.Below(4);
    std::vector<std::string> lines;
    std::vector<uint32_t> theirs;
    for (uint32_t block = 0; block < blocks; ++block) {
      for (std::string& line : random.Lines(random.Below(4))) lines.push_back(std::move(line));
      lines.push_back(absl::StrCat("<", block, ">"));
      theirs.push_back(static_cast<uint32_t>(lines.size()));
    }
    for (std::string& line : random.Lines(random.Below(4))) lines.push_back(std::move(line));
    const auto count = static_cast<uint32_t>(lines.size());
    PlainLines model(lines, !lines.back().empty() && random.Below(2) == 0);
    SharedLines shared(model.Text());
    std::set<uint32_t> used(theirs.begin(), theirs.end());
    for (uint32_t step = 0; step < 16; ++step) {
      SCOPED_TRACE(step);
      shared.Hold(random.Below(2) == 0);
      const uint32_t action = random.Below(3);
      if (action == 0) {  // the person changes a line of his
        const uint32_t block = random.Below(blocks);
        const std::string name = absl::StrCat("<", block, ">");
        const std::string typed = random.Below(2) == 0 ? "word" : "two\nlines";
        if (shared.their_text().find(name) == std::string::npos) continue;
        std::vector<std::string>& slot = model.slot(theirs[block]);
        std::string text = absl::StrJoin(slot, "\n");
        const uint32_t behind = theirs[block] + 1;
        if (!shared.held() && (behind > count || !model.slot(behind).empty()) &&
            random.Below(4) == 0) {
          shared.Change(name, typed);
          text.replace(text.find(name), name.size(), typed);
        } else {
          // Within the name, so that it does not meet what is put next to it.
          shared.TypeBehind(absl::StrCat("<", block), typed);
          text.insert(text.find(name) + name.size() - 1, typed);
        }
        slot = {text};
        continue;
      }
      const uint32_t line = 1 + random.Below(count);
      const std::vector<std::string> content = random.Lines(1 + random.Below(2));
      if (action == 1) {
        ASSERT_THAT(shared.Insert(line, ContentOf(content)), IsOk());
        model.gap(line).insert(model.gap(line).end(), content.begin(), content.end());
      } else if (used.insert(line).second) {
        const bool deletes = random.Below(3) == 0;
        ASSERT_THAT(shared.Replace(line, line, deletes ? "" : ContentOf(content)), IsOk());
        model.slot(line) = deletes ? std::vector<std::string>() : content;
      }
      const std::string expected = model.Text();
      if (!shared.held()) {
        ASSERT_EQ(shared.text(), expected);
      }
    }
    shared.Hold(false);
    ASSERT_EQ(shared.text(), model.Text());
    ASSERT_EQ(shared.their_text(), model.Text());
  }
}

// People write anywhere. What they wrote must not be lost unseen, and new lines must be lines.
TEST(LineSnapshot, TakesNothingThatItHasNotShown) {
  for (uint32_t seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    RandomLines random(seed);
    const uint32_t count = 1 + random.Below(10);
    SharedLines shared(ContentOf(random.Lines(count)));
    std::vector<bool> shown(count + 1);
    for (uint32_t step = 0; step < 20; ++step) {
      SCOPED_TRACE(step);
      shared.Hold(random.Below(3) == 0);
      if (random.Below(2) == 0) {
        static constexpr const char* kTyped[] = {"P", "\n", "P\n", "\nP", "PP\nP\n"};
        const auto size = static_cast<uint32_t>(shared.their_text().size());
        const uint32_t at = random.Below(size + 1);
        const uint32_t deleted = random.Below(3) == 0 ? random.Below(size - at + 1) : 0;
        shared.Type(at, deleted, random.Below(6) == 0 ? "" : kTyped[random.Below(5)]);
        continue;
      }
      const std::string name = absl::StrCat("own", step);
      const std::string before = shared.text();
      uint32_t start = 1 + random.Below(count);
      uint32_t end = std::min(count, start + random.Below(3));
      const bool inserts = random.Below(2) == 0;
      bool was_shown = false;
      for (uint32_t line = start; line <= end; ++line) was_shown |= shown[line];
      const bool deletes = !inserts && random.Below(3) == 0;
      const absl::Status status =
          inserts ? shared.Insert(start, name) : shared.Replace(start, end, deletes ? "" : name);
      if (status.code() == kAborted) {
        for (uint32_t line = start; line <= end; ++line) shown[line] = true;
      }
      const std::string text = shared.text();
      if (!shared.last_edit()) {
        if (!status.ok()) {
          ASSERT_EQ(text, before);
        }
        continue;
      }
      if (!was_shown && !shared.held()) {
        ASSERT_EQ(std::count(text.begin(), text.end(), 'P'),
                  std::count(before.begin(), before.end(), 'P'));
      }
      if (!deletes) {
        const std::string lines = absl::StrCat("\n", text, "\n");
        ASSERT_THAT(lines, HasSubstr(absl::StrCat("\n", name, "\n")));
        ASSERT_EQ(text.substr(0, shared.last_edit()->end_byte)
                      .substr(shared.last_edit()->end_byte - name.size()),
                  name);
      }
    }
    shared.Hold(false);
    ASSERT_EQ(shared.text(), shared.their_text());
  }
}

}  // namespace
}  // namespace cursorwire::room_agent
