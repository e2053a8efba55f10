#ifndef CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_ANSWER_MARKS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_ANSWER_MARKS_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace cursor_chat {

// What lines of this program begin with, and what stands before it in an answer.
inline constexpr std::string_view kOwnWords = "cursor-chat:";
inline constexpr std::string_view kAnswerMark = "(answer) ";

// Lines of this program begin with certain words. If the model's answer contains these words, this
// puts "(answer)" before them, so that nobody mistakes them for a question or a message of this
// program. Bytes that are not ASCII, and signs of Markdown, may stand between the letters, since
// they may be invisible. If there are many such bytes, the mark is put between the letters. The
// text may come in any pieces; at most 64 bytes are held back.
class AnswerMarks {
 public:
  // `mark` must be a literal.
  explicit AnswerMarks(std::string_view mark = kAnswerMark) : mark_(mark) {}

  // Returns the text that can be shown now.
  std::string Add(std::string_view text);
  // At the end: returns the text that was held back.
  std::string Rest();

 private:
  const std::string_view mark_;
  size_t matched_ = 0;  // number of letters of the words at the end of the text so far
  std::string kept_;    // these letters as far as they were not shown yet, and the bytes between
                        // them
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_ANSWER_MARKS_H_
