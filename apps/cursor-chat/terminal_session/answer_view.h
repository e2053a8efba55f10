#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_ANSWER_VIEW_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_ANSWER_VIEW_H_

#include <optional>
#include <string>
#include <string_view>

#include "markdown/markdown_renderer.h"
#include "output/answer_marks.h"
#include "output/line_ends.h"
#include "output/terminal.h"
#include "terminal_session/screen_style.h"

namespace cursor_chat {

// Turns a piece of the answer into what the terminal is to show: the text between two tool calls,
// rendered as Markdown where the style is decorated. Between Add() and Finish() nothing else may
// be written to the terminal, or Again() must be called.
class AnswerView {
 public:
  explicit AnswerView(const ScreenStyle& style) : style_(style) {}

  // The text may come in any pieces of whole characters. Returns visible text, and escape sequences
  // of ours. `size` is that of the terminal now.
  std::string Add(std::string_view text, const TerminalSize& size);
  // At the end: what was held back. The view then begins anew.
  std::string Finish();
  // Something else was written before what Add() or Finish() has given last: returns that for a
  // new place on the screen. What was drawn before it stays as it is.
  std::string Again();

 private:
  MarkdownRenderer& Renderer(const TerminalSize& size);

  const ScreenStyle style_;
  LineEnds ends_;
  AnswerMarks marks_;
  TerminalSize size_;
  std::optional<MarkdownRenderer> renderer_;
  std::string last_;       // the piece that was rendered last
  bool finished_ = false;  // by Finish()
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_ANSWER_VIEW_H_
