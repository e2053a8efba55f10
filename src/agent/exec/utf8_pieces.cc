#include "agent/exec/utf8_pieces.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/strings.h"

namespace cursorwire::agent {
namespace {

// Length in bytes of the character that begins with `first`; 1 if no character begins with it.
size_t CharacterLength(char first) {
  const auto byte = static_cast<uint8_t>(first);
  return byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
}

// True if more bytes could complete `start`, which is shorter than its first byte says. It is
// enough to try the lowest and the highest continuation bytes.
bool CanBecomeCharacter(std::string_view start) {
  const size_t missing = CharacterLength(start.front()) - start.size();
  const std::string text(start);
  return IsUtf8(text + std::string(missing, '\x80')) || IsUtf8(text + std::string(missing, '\xBF'));
}

// Length of the incomplete character at the end of `text`.
size_t OpenBytes(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const std::string_view start = text.substr(text.size() - back);
    if (CharacterLength(start.front()) > back && CanBecomeCharacter(start)) return back;
  }
  return 0;
}

}  // namespace

std::string Utf8Pieces::Next(std::string_view bytes) {
  std::string text = std::exchange(held_, "");
  text += bytes;
  held_ = text.substr(text.size() - OpenBytes(text));
  text.resize(text.size() - held_.size());
  return ToUtf8(text);
}

std::string Utf8Pieces::Last(std::string_view bytes) {
  return ToUtf8(std::exchange(held_, "").append(bytes));
}

}  // namespace cursorwire::agent
