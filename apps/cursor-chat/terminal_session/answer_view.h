#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_ANSWER_VIEW_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_ANSWER_VIEW_H_

#include <string>
#include <string_view>

#include "answer_marks.h"

namespace cursor_chat {

// Turns a piece of the answer into what the terminal is to show: the text between two tool calls.
class AnswerView {
 public:
  // The text may come in any pieces of whole characters. Returns visible text.
  std::string Add(std::string_view text);
  // At the end: what was held back. The view then begins anew.
  std::string Finish();

 private:
  AnswerMarks marks_;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_ANSWER_VIEW_H_
