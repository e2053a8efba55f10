#include "terminal_session/answer_view.h"

#include "common/visible_text.h"

namespace cursor_chat {

std::string AnswerView::Add(std::string_view text, const TerminalSize& size) {
  last_ = marks_.Add(ends_.Add(text));
  finished_ = false;
  if (!style_.decorated) return cursor_apps::VisibleText(last_);
  return Renderer(size).Add(last_);
}

std::string AnswerView::Finish() {
  ends_.Finish();
  last_ = marks_.Rest();
  finished_ = true;
  if (!style_.decorated) return cursor_apps::VisibleText(last_);
  if (!renderer_ && last_.empty()) return "";
  MarkdownRenderer& renderer = Renderer(size_);
  std::string shown = renderer.Add(last_) + renderer.Finish();
  renderer_.reset();
  return shown;
}

std::string AnswerView::Again() {
  if (!style_.decorated) return cursor_apps::VisibleText(last_);
  renderer_.reset();
  std::string shown = Renderer(size_).Add(last_);
  if (finished_) {
    shown += renderer_->Finish();
    renderer_.reset();
  }
  return shown;
}

MarkdownRenderer& AnswerView::Renderer(const TerminalSize& size) {
  const bool is_other = size.columns != size_.columns || size.rows != size_.rows;
  size_ = size;
  if (!renderer_) {
    renderer_.emplace(MarkdownStyle{.columns = size.columns,
                                    .rows = size.rows,
                                    .unicode = style_.unicode,
                                    .rewraps = style_.rewraps});
  } else if (is_other) {
    renderer_->Resize(size.columns, size.rows);
  }
  return *renderer_;
}

}  // namespace cursor_chat
