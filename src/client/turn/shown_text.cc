#include "client/turn/shown_text.h"

#include <algorithm>
#include <utility>

namespace cursorwire {

std::optional<std::string_view> ShownText::AddAgain(std::string_view text) {
  const size_t same = std::min(text_.size() - said_, text.size());
  if (text_.compare(said_, same, text.substr(0, same)) != 0) return std::nullopt;
  said_ += text.size();
  return text.substr(same);
}

void ShownText::OnCheckpoint() {
  text_.erase(0, std::min(said_, text_.size()));
  said_ = 0;
}

void ShownText::OnRestart(std::string said) {
  if (said.size() > text_.size()) text_ = std::move(said);
  said_ = 0;
}

}  // namespace cursorwire
