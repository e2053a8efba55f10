#include "base/line_splitter.h"

#include <utility>

namespace cursorwire {

void LineSplitter::Feed(std::string_view bytes) {
  for (;;) {
    const size_t end = bytes.find('\n');
    Append(bytes.substr(0, end));
    if (end == bytes.npos) return;
    EndLine();
    bytes.remove_prefix(end + 1);
  }
}

void LineSplitter::Append(std::string_view bytes) {
  if (skips_) return;
  // One more byte may be a carriage return, which does not count.
  if (bytes.size() > max_line_bytes_ + 1 - partial_.size()) {
    skips_ = true;
    RefuseLine();
    return;
  }
  partial_ += bytes;
}

void LineSplitter::EndLine() {
  if (std::exchange(skips_, false)) return;
  if (partial_.ends_with('\r')) partial_.pop_back();
  if (partial_.size() > max_line_bytes_) return RefuseLine();
  if (partial_.empty()) return;
  whole_bytes_ += partial_.size();
  lines_.push_back({.text = std::exchange(partial_, std::string())});
}

void LineSplitter::RefuseLine() {
  partial_ = std::string();
  lines_.push_back({.too_long = true});
}

std::optional<LineSplitter::Line> LineSplitter::Next() {
  if (lines_.empty()) return std::nullopt;
  Line line = std::move(lines_.front());
  lines_.pop_front();
  whole_bytes_ -= line.text.size();
  return line;
}

}  // namespace cursorwire
