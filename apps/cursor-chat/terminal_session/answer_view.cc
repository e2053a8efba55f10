#include "terminal_session/answer_view.h"

#include "visible_text.h"

namespace cursor_chat {

std::string AnswerView::Add(std::string_view text) { return VisibleText(marks_.Add(text)); }

std::string AnswerView::Finish() { return VisibleText(marks_.Rest()); }

}  // namespace cursor_chat
