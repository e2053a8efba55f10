#include "client/shown_text.h"

#include <algorithm>

namespace cursorwire {

std::optional<std::string_view> ShownText::Add(std::string_view text) {
  if (overflown_) return text;
  const std::string_view expected = std::string_view(text_).substr(repeated_);
  const size_t same = std::min(expected.size(), text.size());
  if (expected.substr(0, same) != text.substr(0, same)) return std::nullopt;
  repeated_ += same;
  const std::string_view fresh = text.substr(same);
  if (text_.size() + fresh.size() > kMaxBytes) {
    overflown_ = true;
    Clear();
    return fresh;
  }
  text_ += fresh;
  repeated_ += fresh.size();
  return fresh;
}

void ShownText::OnCheckpoint() {
  text_.erase(0, repeated_);
  repeated_ = 0;
  overflown_ = false;
}

}  // namespace cursorwire
