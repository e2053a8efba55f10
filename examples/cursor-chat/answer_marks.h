#ifndef CURSORWIRE_EXAMPLES_CURSOR_CHAT_ANSWER_MARKS_H_
#define CURSORWIRE_EXAMPLES_CURSOR_CHAT_ANSWER_MARKS_H_

#include <string>
#include <string_view>

namespace cursor_chat {

// Where the answer of the model has the words that lines of this program begin with, it puts
// "(answer)" before them, so that nobody takes them for a question or a message of this program.
// Bytes that are no ASCII may stand between the letters: they may be nothing that is seen. For text
// in any pieces; keeps at most 64 bytes back.
class AnswerMarks {
 public:
  // What may be shown by now.
  std::string Add(std::string_view text);
  // At the end: what was kept back.
  std::string Rest();

 private:
  std::string kept_;  // may be the beginning of the words
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_EXAMPLES_CURSOR_CHAT_ANSWER_MARKS_H_
