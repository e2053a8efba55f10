#ifndef CURSORWIRE_APPS_CURSOR_CHAT_ANSWER_MARKS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_ANSWER_MARKS_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace cursor_chat {

// Where the answer of the model has the words that lines of this program begin with, it puts
// "(answer)" before them, so that nobody takes them for a question or a message of this program.
// Bytes that are no ASCII may stand between the letters: they may be nothing that is seen. If there
// are many, the mark comes between the letters. For text in any pieces; keeps at most 64 bytes
// back.
class AnswerMarks {
 public:
  // `mark` is a literal.
  explicit AnswerMarks(std::string_view mark = "(answer) ") : mark_(mark) {}

  // What may be shown by now.
  std::string Add(std::string_view text);
  // At the end: what was kept back.
  std::string Rest();

 private:
  const std::string_view mark_;
  size_t matched_ = 0;  // letters of the words at the end of the text so far
  std::string kept_;    // the last of them, which are not shown yet, and what is between
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_ANSWER_MARKS_H_
