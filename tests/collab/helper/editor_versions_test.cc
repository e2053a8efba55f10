#include "collab/helper/editor_versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "collab/helper/open_text.h"
#include "collab/repo/document_id.h"
#include "crdt/automerge/document.h"
#include "crdt/automerge/waiting_changes.h"
#include "crdt/text/text_size.h"
#include "support/status_matchers.h"
#include "support/sweep.h"

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
  EXPECT_TRUE(versions_.WillHave("two"));
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

TEST_F(EditorVersionsTest, WhatMayNotBeReadStays) {
  text_ = "one two three";
  Give();
  now_ += milliseconds(5000);
  Replace(0, 3, "eins");
  Give();
  // Neither is plain.
  EXPECT_EQ(versions_.Compare("eins 2 drei", now_).read, 1u);
  EXPECT_EQ(versions_.Compare("eins two three four", now_).read, 2u);
  // Only one can be meant.
  now_ += milliseconds(100000);
  EXPECT_EQ(versions_.Compare("eins 2 drei", now_).read, 2u);
}

TEST_F(EditorVersionsTest, AnEditThatCrossesAnInsertKeepsIt) {
  text_ = "one two";
  Give();
  Replace(4, 0, "REMOTE ");
  Give();
  EXPECT_EQ(Send("one two!"), "one REMOTE two!");
  EXPECT_FALSE(versions_.WillHave("one REMOTE two!")) << "another one is on its way";
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

TEST_F(EditorVersionsTest, TakingBackWhatWasTypedTakesNothingOfOthers) {
  struct Case {
    std::string begin;
    std::string of_others;  // at the start, and not read
    std::vector<std::string> sent;
  };
  for (const Case& c : std::vector<Case>{{"abc", "X", {"abcd", "abc"}},
                                         {"abc", "XY", {"abcdef", "abc"}},
                                         {"one\n", "- milk\n", {"one\nI typed this\n", "one\n"}},
                                         {"", "ok", {"c", "ca", "cat", "ca", "c", ""}}}) {
    SCOPED_TRACE(c.sent.front());
    versions_ = EditorVersions();
    text_ = c.begin;
    Give();
    Replace(0, 0, c.of_others);
    Give();
    for (const std::string& sent : c.sent) {
      now_ += milliseconds(60);
      Send(sent);
    }
    EXPECT_EQ(text_, c.of_others + c.begin);
  }
}

// What the editor took out has come back from somebody else, and what came with it is taken out.
// The text that was given before, with an unread X, is nearer; but it is not there any more.
TEST_F(EditorVersionsTest, WhatIsUndoneComesBackBesideWhatOthersTyped) {
  text_ = "hello world";
  Give();
  now_ += milliseconds(5000);
  Replace(11, 0, "X");
  Give();
  now_ += milliseconds(30);
  EXPECT_EQ(Send("hello "), "hello X");
  now_ += milliseconds(300);
  EXPECT_EQ(Send("hello world"), "hello worldX");
}

// Nothing says which text it is of: in doubt what others wrote stays.
TEST_F(EditorVersionsTest, PuttingBackWhatWasTakenOutTakesNothingOfOthers) {
  text_ = "cat";
  Give();
  now_ += milliseconds(5000);
  EXPECT_EQ(Send("ca"), "ca");
  now_ += milliseconds(100);
  Replace(2, 0, "t!");
  Give();
  EXPECT_EQ(Send("cat"), "catt!");
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
  EXPECT_TRUE(versions_.WillHave(text_));
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

// --- editors that read late

// A character of four bytes.
std::string Symbol(uint32_t number) {
  const uint32_t c = 0xf0000 + number;
  return {static_cast<char>(0xf0 | (c >> 18)), static_cast<char>(0x80 | ((c >> 12) & 0x3f)),
          static_cast<char>(0x80 | ((c >> 6) & 0x3f)), static_cast<char>(0x80 | (c & 0x3f))};
}
constexpr size_t kSymbolBytes = 4;

// An editor and its text. Lines take a while in both directions, and keep their order.
struct LateEditor {
  explicit LateEditor(uint8_t number)
      : document(std::string(1, static_cast<char>('a' + number))),
        waiting(document),
        text(DocumentId({number}), document) {}

  automerge::Document document;
  automerge::WaitingChanges waiting;
  OpenText text;
  uint32_t shared = 0;  // changes that the others have
  std::string shown{};
  bool unsent = false;  // something is typed that is not sent
  std::string last_sent{};
  std::deque<std::pair<EditorVersions::TimePoint, std::string>> to_text{};
  std::deque<std::pair<EditorVersions::TimePoint, std::string>> to_editor{};
  EditorVersions::TimePoint next_key{};
  uint32_t home = 0;    // the symbol that it types in front of
  size_t told = 0;      // lines to it
  size_t repeated = 0;  // those with the text that it sent last
};

struct LateTyping {
  const char* name = "";
  size_t editors = 2;
  int read_delay = 0;     // at most, of lines to the editor, in milliseconds
  int send_delay = 0;     // the same of those from it
  int overtype = 0;       // percent of the keys that take the place of a character
  int erase = 0;          // percent of the other keys that take one out
  bool one_line = false;  // all type at the same place
  int keys = 1;           // at most, between two lines of the editor
  int letters = 0;        // so many different ones are typed; 0: no character is typed twice
  // Characters per thousand keys. Two texts may explain an edit equally well: where each has
  // another character at the place that is overtyped, the wrong one may go.
  size_t may_lose = 0;
  size_t may_repeat = 150;  // lines per thousand keys
};

class LateEditorsTest : public ::testing::Test {
 protected:
  using Editors = std::deque<LateEditor>;

  // With the text open, and read.
  Editors Open(size_t count, const std::string& text) {
    Editors editors;
    for (size_t i = 0; i < count; ++i) editors.emplace_back(static_cast<uint8_t>(i));
    const auto made = editors[0].document.MakeText(OpenText::kField);
    EXPECT_THAT(made, test::IsOk());
    EXPECT_THAT(editors[0].document.Splice(*made, crdt::Unit::kCodePoints, 0, 0, text),
                test::IsOk());
    editors[0].document.Commit(0);
    Share(editors);
    for (LateEditor& editor : editors) {
      EXPECT_THAT(editor.text.TakeChanges(), test::IsOk());
      editor.text.NoteGiven(now_);
      editor.shown = text;
    }
    now_ += milliseconds(5000);
    return editors;
  }

  static void Share(Editors& editors) {
    for (LateEditor& editor : editors) {
      for (; editor.shared < editor.document.changes().size(); ++editor.shared) {
        const std::string chunk = editor.document.ChunkOf(editor.shared);
        for (LateEditor& other : editors) {
          if (&other == &editor) continue;
          ASSERT_THAT(other.waiting.Add(chunk), test::IsOk());
          ASSERT_THAT(other.text.TakeChanges(), test::IsOk());
        }
      }
    }
  }

  void Tell(LateEditor& editor, milliseconds delay = milliseconds(0)) {
    if (!editor.text.TakeChanged(now_)) return;
    const std::string text = editor.text.field().Text();
    ++editor.told;
    if (text == editor.last_sent) ++editor.repeated;
    Queue(editor.to_editor, delay, text);
  }

  template <typename Lines>
  void Queue(Lines& lines, milliseconds delay, const std::string& text) {
    EditorVersions::TimePoint due = now_ + delay;
    if (!lines.empty()) due = std::max(due, lines.back().first);
    lines.emplace_back(due, text);
  }

  void Hear(LateEditor& editor, const std::string& text) {
    editor.text.NoteAwake(now_);
    Tell(editor);
    editor.last_sent = text;
    ASSERT_THAT(editor.text.Edit(text, now_, 0), test::IsOk());
  }

  // What is typed is sent before a line is read.
  void Send(LateEditor& editor, milliseconds delay = milliseconds(0)) {
    if (std::exchange(editor.unsent, false)) Queue(editor.to_text, delay, editor.shown);
  }
  void Read(LateEditor& editor, milliseconds delay = milliseconds(0)) {
    while (!editor.to_editor.empty() && editor.to_editor.front().first <= now_) {
      Send(editor, delay);
      editor.shown = editor.to_editor.front().second;
      editor.to_editor.pop_front();
    }
  }

  // The editor has typed this, all at once, and reads nothing.
  void Type(LateEditor& editor, const std::string& text) {
    editor.shown = text;
    Hear(editor, text);
  }
  // Lines go nowhere until ReadAll().
  void Exchange(Editors& editors) {
    Share(editors);
    for (LateEditor& editor : editors) Tell(editor);
  }
  void ReadAll(Editors& editors) {
    for (int i = 0; i < 500; ++i) {
      Exchange(editors);
      for (LateEditor& editor : editors) Read(editor);
      now_ += milliseconds(1);
    }
  }

  struct Outcome {
    size_t typed = 0;
    size_t lost = 0;  // of the characters that nobody took out
    size_t repeated = 0;
    size_t differing = 0;  // editors that have another text than the document
  };
  int Pick(int most) {
    return most <= 0 ? 0 : static_cast<int>(random_() % (static_cast<uint32_t>(most) + 1));
  }

  Outcome Run(const LateTyping& how, uint32_t seed) {
    random_.seed(seed);
    Outcome outcome;
    uint32_t next = 0;
    std::string start;
    const size_t lines = how.one_line ? 1 : how.editors;
    for (size_t i = 0; i < lines; ++i) start += Symbol(next++);
    Editors editors = Open(how.editors, start);
    for (size_t i = 0; i < how.editors; ++i) {
      editors[i].home = static_cast<uint32_t>(how.one_line ? 0 : i);
      editors[i].next_key = now_ + milliseconds(Pick(500));
    }
    std::set<std::string> typed;
    std::set<std::string> gone;
    const auto press = [&](LateEditor& editor) {
      const size_t home = editor.shown.find(Symbol(editor.home));
      ASSERT_NE(home, std::string::npos) << "nobody has taken it out";
      size_t at = home;
      const bool overtypes = Pick(99) < how.overtype;
      const bool erases = !overtypes && Pick(99) < how.erase;
      if (overtypes || erases) {
        const size_t back = kSymbolBytes * static_cast<size_t>(1 + Pick(5));
        // It is not the home of another one.
        if (back <= home && typed.contains(editor.shown.substr(home - back, kSymbolBytes))) {
          at = home - back;
        }
      }
      if (at != home) {
        gone.insert(editor.shown.substr(at, kSymbolBytes));
        editor.shown.erase(at, kSymbolBytes);
      }
      if (!erases) {
        const uint32_t letter = 1000 + static_cast<uint32_t>(Pick(how.letters - 1));
        const std::string symbol = Symbol(how.letters > 0 ? letter : next++);
        typed.insert(symbol);
        if (how.letters > 0) gone.insert(symbol);
        editor.shown.insert(at, symbol);
        ++outcome.typed;
      }
      editor.unsent = true;
    };
    const EditorVersions::TimePoint end = now_ + milliseconds(20000);
    for (; now_ < end + milliseconds(10000); now_ += milliseconds(2)) {
      for (LateEditor& editor : editors) {
        Read(editor, milliseconds(Pick(how.send_delay)));
        if (now_ < end && editor.next_key <= now_) {
          press(editor);
          if (Pick(how.keys - 1) == 0) Send(editor, milliseconds(Pick(how.send_delay)));
          editor.next_key = now_ + milliseconds(Pick(9) == 0 ? 300 + Pick(4000) : 30 + Pick(150));
        }
        if (now_ >= end) Send(editor);
        while (!editor.to_text.empty() && editor.to_text.front().first <= now_) {
          Hear(editor, editor.to_text.front().second);
          editor.to_text.pop_front();
        }
      }
      Share(editors);
      for (LateEditor& editor : editors) Tell(editor, milliseconds(Pick(how.read_delay)));
    }
    const std::string text = editors[0].text.field().Text();
    for (const std::string& symbol : typed) {
      if (!gone.contains(symbol) && text.find(symbol) == std::string::npos) ++outcome.lost;
    }
    for (const LateEditor& editor : editors) {
      if (editor.shown != text) ++outcome.differing;
      outcome.repeated += editor.repeated;
    }
    return outcome;
  }

  EditorVersions::TimePoint now_{std::chrono::hours(1)};
  std::mt19937 random_{1};
};

TEST_F(LateEditorsTest, LoseNothingAndHaveTheTextInTheEnd) {
  const LateTyping table[] = {
      {.name = "at once", .may_repeat = 0},
      {.name = "at once, overtyping", .overtype = 15, .may_repeat = 20},
      {.name = "late", .read_delay = 100},
      {.name = "late, overtyping", .read_delay = 100, .overtype = 15, .may_lose = 1},
      {.name = "very late", .read_delay = 400, .overtype = 15, .may_lose = 5},
      {.name = "one line", .read_delay = 30, .overtype = 15, .one_line = true, .may_lose = 1},
      {.name = "both ways",
       .editors = 3,
       .read_delay = 100,
       .send_delay = 100,
       .overtype = 15,
       .may_lose = 2},
      {.name = "keys", .read_delay = 100, .overtype = 15, .keys = 4, .may_lose = 1},
      {.name = "erasing", .read_delay = 100, .overtype = 5, .erase = 20, .may_lose = 1},
      {.name = "erasing in one line",
       .read_delay = 100,
       .overtype = 5,
       .erase = 20,
       .one_line = true,
       .may_lose = 1},
      {.name = "erasing, keys",
       .read_delay = 100,
       .overtype = 5,
       .erase = 20,
       .keys = 4,
       .may_lose = 2},
      {.name = "two letters",
       .read_delay = 100,
       .overtype = 15,
       .erase = 20,
       .one_line = true,
       .keys = 4,
       .letters = 2},
      {.name = "two letters both ways",
       .editors = 3,
       .read_delay = 300,
       .send_delay = 100,
       .overtype = 15,
       .erase = 20,
       .letters = 2},
  };
  const uint32_t seeds = test::SweepsAreWhole() ? 100 : 4;
  for (const LateTyping& how : table) {
    SCOPED_TRACE(how.name);
    Outcome all;
    for (uint32_t seed = 0; seed < seeds && !HasFatalFailure(); ++seed) {
      const Outcome outcome = Run(how, seed);
      all.typed += outcome.typed;
      all.lost += outcome.lost;
      all.repeated += outcome.repeated;
      all.differing += outcome.differing;
    }
    EXPECT_LE(all.lost * 1000, all.typed * how.may_lose) << "of " << all.typed;
    EXPECT_LE(all.repeated * 1000, all.typed * how.may_repeat) << "of " << all.typed;
    EXPECT_EQ(all.differing, 0u);
  }
}

TEST_F(LateEditorsTest, KeepWhatIsTypedBehindAReplacementOfTheNewestText) {
  Editors editors = Open(2, "one two cat\n");
  Type(editors[1], "zero one two cat\n");
  ReadAll(editors);
  ASSERT_EQ(editors[0].shown, "zero one two cat\n");
  Type(editors[0], "zero one two dog\n");
  Tell(editors[0]);
  Type(editors[0], "zero one two dogs are nice\n");
  ReadAll(editors);
  EXPECT_EQ(editors[0].text.field().Text(), "zero one two dogs are nice\n");
  EXPECT_EQ(editors[0].shown, "zero one two dogs are nice\n");
}

TEST_F(LateEditorsTest, KeepWhatBeginsAsATextThatIsOnItsWay) {
  Editors editors = Open(2, "");
  Type(editors[1], "a");
  Exchange(editors);
  Type(editors[0], "ab");
  ReadAll(editors);
  EXPECT_EQ(editors[0].text.field().Text(), "ab");
  EXPECT_EQ(editors[0].shown, "ab");
}

TEST_F(LateEditorsTest, KeepWhatIsTypedWhileATextAndTheOneBeforeItAreOnTheirWay) {
  Editors editors = Open(2, "abc");
  Type(editors[1], "abcX");
  Exchange(editors);
  now_ += milliseconds(30);
  Type(editors[1], "abc");
  Exchange(editors);
  Type(editors[0], "abc hello");
  ReadAll(editors);
  EXPECT_EQ(editors[0].text.field().Text(), "abc hello");
  EXPECT_EQ(editors[0].shown, "abc hello");
}

TEST_F(LateEditorsTest, KeepAWordThatTakesThePlaceOfOneThatSomebodyElseTookOut) {
  Editors editors = Open(2, "one cat two");
  Type(editors[1], "one  two");
  Exchange(editors);
  Type(editors[0], "one dog two");
  ReadAll(editors);
  EXPECT_EQ(editors[0].text.field().Text(), "one dog two");
  EXPECT_EQ(editors[0].shown, "one dog two");
}

TEST_F(LateEditorsTest, CanTakeBackAtOnceWhatTheyTypedBehindANewText) {
  Editors editors = Open(2, "");
  Type(editors[1], "a");
  ReadAll(editors);
  Type(editors[0], "ab");
  Type(editors[0], "a");
  ReadAll(editors);
  EXPECT_EQ(editors[0].text.field().Text(), "a");
  EXPECT_EQ(editors[0].shown, "a");
}

TEST_F(LateEditorsTest, AreGivenATextAgainWhenTheirUsersRest) {
  Editors editors = Open(2, "");
  Type(editors[1], "a");
  Exchange(editors);
  Type(editors[0], "ab");
  now_ += OpenText::kRepeatDelay - milliseconds(1);
  EXPECT_FALSE(editors[0].text.TakeChanged(now_));
  Type(editors[0], "abc");
  now_ += OpenText::kRepeatDelay - milliseconds(1);
  EXPECT_FALSE(editors[0].text.TakeChanged(now_));
  now_ += milliseconds(1);
  EXPECT_EQ(editors[0].text.deadline(), now_);
  EXPECT_TRUE(editors[0].text.TakeChanged(now_));
  EXPECT_EQ(editors[0].text.field().Text(), "abc");
  EXPECT_EQ(editors[0].text.deadline(), std::nullopt) << "once";
}

TEST_F(LateEditorsTest, AreNotGivenTheirOwnTextWhereTheyHaveReadAll) {
  Editors editors = Open(2, "one\n");
  Type(editors[1], "zero\none\n");
  ReadAll(editors);
  for (const char* const text : {"zero\none t\n", "zero\none tw\n", "zero\none two\n"}) {
    Type(editors[0], text);
    EXPECT_EQ(editors[0].text.deadline(), std::nullopt);
  }
}

TEST_F(LateEditorsTest, AreNotGivenATextAgainThatTheyAskedFor) {
  Editors editors = Open(1, "abc");
  Type(editors[0], "abcd");
  editors[0].text.NoteGiven(now_);
  Type(editors[0], "abcde");
  EXPECT_EQ(editors[0].text.deadline(), std::nullopt);
}

// What a peer pastes and takes back in one message leaves the editor's text as it was.
TEST(OpenTextTest, WhatIsPastedAndTakenBackMovesNothing) {
  automerge::Document ours(std::string(16, 'a'));
  automerge::Document peer(std::string(16, 'b'));
  automerge::WaitingChanges waiting(ours);
  std::string shared;
  for (int i = 0; i < 5; ++i) shared += "line " + std::to_string(i) + " of the shared text\n";
  const absl::StatusOr<automerge::OpId> object = peer.MakeText("content");
  ASSERT_TRUE(object.ok());
  const auto end = static_cast<uint32_t>(shared.size());
  const auto splice = [&](uint32_t at, uint32_t count, const std::string& text) {
    const size_t before = peer.changes().size();
    EXPECT_TRUE(peer.Splice(*object, crdt::Unit::kBytes, at, count, text).ok());
    peer.Commit(0);
    std::string chunks;
    for (size_t i = before; i < peer.changes().size(); ++i) {
      chunks += peer.ChunkOf(static_cast<uint32_t>(i));
    }
    return chunks;
  };
  splice(0, 0, shared);
  ASSERT_TRUE(waiting.Add(*peer.Save()).ok());
  const auto id = DocumentId::Parse("automerge:4NMNnkMhL8jXrdJ9jamS58PAVdXu");
  ASSERT_TRUE(id.ok());
  OpenText text(*id, ours);
  ASSERT_TRUE(text.TakeChanges().ok());
  const OpenText::TimePoint start{std::chrono::seconds(100)};
  text.NoteGiven(start);
  constexpr uint32_t kPasted = 2'000'000;
  const std::string pasted = splice(end, 0, std::string(kPasted, 'x'));
  ASSERT_TRUE(waiting.Add(pasted + splice(end, kPasted, "")).ok());
  ASSERT_TRUE(text.TakeChanges().ok());
  EXPECT_FALSE(text.TakeChanged(start + std::chrono::seconds(1)));
  std::string typed = shared;
  typed.insert(typed.find("line 2") + 6, " typed by the user");
  typed.erase(typed.find("line 4"));
  ASSERT_TRUE(text.Edit(typed, start + std::chrono::hours(1), 0).ok());
  EXPECT_EQ(text.field().Text(), typed);
}

}  // namespace
}  // namespace cursorwire::collab
