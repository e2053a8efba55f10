#include "output/answer_marks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace cursor_chat {
namespace {

std::string Marked(std::string_view text, size_t piece) {
  AnswerMarks marks;
  std::string shown;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    shown += marks.Add(text.substr(0, piece));
  }
  return shown + marks.Rest();
}

TEST(AnswerMarks, MarkTheWordsOfThisProgramWhereverTheyAre) {
  const struct {
    const char* name;
    std::string text, shown;
  } cases[] = {
      {"none", "cursor chat", "cursor chat"},
      {"a question", "a\ncursor-chat: y or n? [n] ", "a\n(answer) cursor-chat: y or n? [n] "},
      {"after spaces that fill a line", std::string(80, ' ') + "cursor-chat: x",
       std::string(80, ' ') + "(answer) cursor-chat: x"},
      {"capitals", "Cursor-Chat: x", "(answer) Cursor-Chat: x"},
      {"with what is not seen between", "cur\xE2\x80\x8Bsor-chat: x",
       "(answer) cur\xE2\x80\x8Bsor-chat: x"},
      {"with signs of Markdown between", "**cursor**\\-_chat_: x",
       "**(answer) cursor**\\-_chat_: x"},
      {"begun twice", "cursor-cursor-chat:", "cursor-(answer) cursor-chat:"},
      {"twice", "cursor-chat:cursor-chat:", "(answer) cursor-chat:(answer) cursor-chat:"},
      {"begun at the end", "x cursor-chat", "x cursor-chat"},
      {"other letters", "\xD1\x81 cursor\xC3\xA9 chat", "\xD1\x81 cursor\xC3\xA9 chat"},
  };
  for (const auto& c : cases) {
    for (size_t piece = 1; piece <= c.text.size(); ++piece) {
      EXPECT_EQ(Marked(c.text, piece), c.shown) << c.name << ", in pieces of " << piece;
    }
  }
}

// So much that it is shown before the words are complete.
TEST(AnswerMarks, BreakWordsWithMuchBetweenThatIsNotSeen) {
  std::string unseen;
  for (int i = 0; i < 100; ++i) unseen += "\xE2\x80\x8B";
  const struct {
    const char* name;
    std::string text, shown;
  } cases[] = {
      {"after the first letter", "c" + unseen + "ursor-chat: x",
       "c" + unseen + "(answer) ursor-chat: x"},
      {"before the last", "cursor-chat" + unseen + ": x", "cursor-chat" + unseen + "(answer) : x"},
      {"twice", "cur" + unseen + "sor" + unseen + "-chat: x",
       "cur" + unseen + "sor" + unseen + "(answer) -chat: x"},
      {"begun twice", "cursor-c" + unseen + "ursor-chat: x",
       "cursor-c" + unseen + "(answer) ursor-chat: x"},
      {"other words", "c" + unseen + "ursor chat: x", "c" + unseen + "ursor chat: x"},
  };
  for (const auto& c : cases) {
    for (size_t piece = 1; piece <= c.text.size(); ++piece) {
      EXPECT_EQ(Marked(c.text, piece), c.shown) << c.name << ", in pieces of " << piece;
    }
  }
}

TEST(AnswerMarks, ShowTextWithoutDelayBehindALetterThatMayBeTheirFirst) {
  AnswerMarks marks;
  std::string text = "c";
  for (int i = 0; i < 30; ++i) text += "\xE8\xAF\xAD";
  EXPECT_EQ(marks.Add(text), text);
  EXPECT_EQ(marks.Add("\xE8\xAF\xAD"), "\xE8\xAF\xAD");
}

TEST(AnswerMarks, HaveTheWordThatTheyAreMadeWith) {
  EXPECT_EQ(AnswerMarks("(notice) ").Add("a cursor-chat: x"), "a (notice) cursor-chat: x");
}

TEST(AnswerMarks, KeepLittleBack) {
  AnswerMarks marks;
  EXPECT_EQ(marks.Add("abc"), "ab");
  EXPECT_EQ(marks.Add("d"), "cd");
  std::string shown = marks.Add("c");
  for (int i = 0; i < 1000; ++i) shown += marks.Add("\xE2\x80\x8B");
  EXPECT_GE(shown.size(), 1u + 3000 - 64);
}

}  // namespace
}  // namespace cursor_chat
