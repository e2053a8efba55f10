#include "terminal_session/answer_view.h"

#include "visible_text.h"

namespace cursor_chat {

std::string AnswerView::Add(std::string_view text, const TerminalSize& size) {
  const std::string marked = marks_.Add(text);
  if (!style_.decorated) return VisibleText(marked);
  return Renderer(size).Add(marked);
}

std::string AnswerView::Finish() {
  const std::string rest = marks_.Rest();
  if (!style_.decorated) return VisibleText(rest);
  if (!renderer_ && rest.empty()) return "";
  MarkdownRenderer& renderer = Renderer(size_);
  std::string shown = renderer.Add(rest) + renderer.Finish();
  renderer_.reset();
  return shown;
}

MarkdownRenderer& AnswerView::Renderer(const TerminalSize& size) {
  const bool is_other = size.columns != size_.columns || size.rows != size_.rows;
  size_ = size;
  if (!renderer_) {
    renderer_.emplace(
        MarkdownStyle{.columns = size.columns, .rows = size.rows, .unicode = style_.unicode});
  } else if (is_other) {
    renderer_->Resize(size.columns, size.rows);
  }
  return *renderer_;
}

}  // namespace cursor_chat
