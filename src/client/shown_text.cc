#include "client/shown_text.h"

#include <algorithm>

namespace cursorwire {

std::optional<std::string_view> ShownText::Add(std::string_view text) {
  if (overflown_) return text;
  if (!is_behind()) {
    Keep(text);
    return text;
  }
  const std::string_view expected = std::string_view(text_).substr(repeated_);
  const size_t same = std::min(expected.size(), text.size());
  if (expected.substr(0, same) != text.substr(0, same)) return std::nullopt;
  repeated_ += same;
  const std::string_view fresh = text.substr(same);
  Keep(fresh);
  return fresh;
}

void ShownText::Keep(std::string_view fresh) {
  if (text_.size() + fresh.size() > kMaxBytes) {
    overflown_ = true;
    Clear();
    return;
  }
  text_ += fresh;
  repeated_ += fresh.size();
}

void ShownText::OnCheckpoint() {
  text_.erase(0, repeated_);
  repeated_ = 0;
  overflown_ = false;
}

}  // namespace cursorwire
