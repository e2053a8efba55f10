#ifndef CURSORWIRE_TESTS_APPS_CURSOR_CHAT_MARKDOWN_SCREEN_H_
#define CURSORWIRE_TESTS_APPS_CURSOR_CHAT_MARKDOWN_SCREEN_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "markdown/text_width.h"

namespace cursor_chat::markdown {

// A terminal that knows what MarkdownRenderer uses, and keeps the lines that scroll off.
class Screen {
 public:
  Screen(size_t columns, size_t rows) : columns_(columns), rows_(rows) {}

  void Write(std::string_view bytes) {
    while (!bytes.empty()) {
      if (bytes.starts_with("\x1b[")) {
        bytes.remove_prefix(2);
        TakeSequence(bytes);
      } else if (bytes[0] == '\n') {
        LineFeed();
        bytes.remove_prefix(1);
      } else if (bytes[0] == '\r') {
        column_ = 0;
        bytes.remove_prefix(1);
      } else {
        const Cluster cluster = TakeCluster(bytes);
        Put(cluster);
      }
    }
  }

  // Lines stay as they are, as on a terminal that does not wrap them again.
  void Resize(size_t columns, size_t rows) {
    columns_ = columns;
    rows_ = rows;
    top_ = std::max(top_, lines_.size() - std::min(lines_.size(), rows_));
  }

  // As on a terminal that wraps its lines again, while the cursor is at the end of the last one.
  void Rewrap(size_t columns, size_t rows) {
    std::vector<std::string> wrapped;
    widths_.clear();
    for (const std::string& line : plain_) {
      std::string_view rest = line;
      wrapped.emplace_back();
      widths_.push_back(0);
      while (!rest.empty()) {
        const Cluster cluster = TakeCluster(rest);
        if (widths_.back() + cluster.columns > columns) {
          wrapped.emplace_back();
          widths_.push_back(0);
        }
        wrapped.back() += cluster.text;
        widths_.back() += cluster.columns;
      }
    }
    plain_ = lines_ = wrapped;
    row_ = lines_.size() - 1;
    column_ = widths_.back();
    Resize(columns, rows);
  }

  // All lines, those that have scrolled off included.
  std::string Text() const { return Joined(plain_); }
  // The same, with its colours.
  std::string PaintedText() const { return Joined(lines_); }
  // What was done that the renderer must not do; empty if nothing.
  const std::string& faults() const { return faults_; }
  bool at_line_start() const { return column_ == 0; }
  size_t scrolled_off() const { return top_; }

 private:
  static std::string Joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    if (lines.back().empty()) text.pop_back();
    return text;
  }

  void Fault(const std::string& what) {
    if (faults_.size() < 1000) faults_ += what + "\n";
  }

  void Put(const Cluster& cluster) {
    if (cluster.text.size() == 1 && static_cast<unsigned char>(cluster.text[0]) < 0x20) {
      Fault("a control character");
    }
    if (column_ + cluster.columns >= columns_ && columns_ > 2) Fault("a line is too wide");
    if (column_ != widths()) Fault("text over other text");
    lines_[row_] += cluster.text;
    plain_[row_] += cluster.text;
    column_ += cluster.columns;
    widths_[row_] = column_;
  }
  size_t widths() const { return widths_[row_]; }

  void LineFeed() {
    column_ = 0;
    if (++row_ < lines_.size()) return;
    lines_.emplace_back();
    plain_.emplace_back();
    widths_.emplace_back();
    if (lines_.size() > top_ + rows_) ++top_;
  }

  void TakeSequence(std::string_view& bytes) {
    const size_t end = std::min(bytes.find_first_not_of("0123456789;"), bytes.size());
    const std::string parameters(bytes.substr(0, end));
    const char command = end < bytes.size() ? bytes[end] : '\0';
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
    switch (command) {
      case 'm':
        lines_[row_] += "\x1b[" + parameters + "m";
        break;
      case 'A':
        Up(std::stoul(parameters));
        break;
      case 'K':
        EraseLine();
        break;
      case 'J':
        EraseBelow();
        break;
      default:
        Fault("an escape sequence of another kind");
        break;
    }
  }

  void Up(size_t count) {
    if (count > row_ - top_) Fault("above the screen");
    row_ -= std::min(count, row_ - top_);
  }
  void EraseLine() {
    if (column_ != 0) return Fault("an erased end of a line");
    lines_[row_].clear();
    plain_[row_].clear();
    widths_[row_] = 0;
  }
  void EraseBelow() {
    if (column_ != widths()) EraseLine();
    lines_.resize(row_ + 1);
    plain_.resize(row_ + 1);
    widths_.resize(row_ + 1);
  }

  size_t columns_;
  size_t rows_;
  std::vector<std::string> lines_{1};  // with colours
  std::vector<std::string> plain_{1};
  std::vector<size_t> widths_ = {0};
  size_t top_ = 0;  // the first line on the screen
  size_t row_ = 0;  // of the cursor, from the first of all lines
  size_t column_ = 0;
  std::string faults_;
};

}  // namespace cursor_chat::markdown

#endif  // CURSORWIRE_TESTS_APPS_CURSOR_CHAT_MARKDOWN_SCREEN_H_
