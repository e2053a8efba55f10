#include "base/utf8_pieces.h"

#include <utility>

#include "base/strings.h"

namespace cursorwire {

std::string Utf8Pieces::Next(std::string_view bytes) {
  std::string text = std::exchange(held_, "");
  text += bytes;
  held_ = text.substr(text.size() - UnfinishedUtf8Bytes(text));
  text.resize(text.size() - held_.size());
  return ToUtf8(text);
}

std::string Utf8Pieces::Last(std::string_view bytes) {
  return ToUtf8(std::exchange(held_, "").append(bytes));
}

}  // namespace cursorwire
