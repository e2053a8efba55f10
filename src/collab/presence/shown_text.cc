#include "collab/presence/shown_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/strings.h"

namespace cursorwire::collab {
namespace {

bool IsControl(char32_t character) {
  return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

}  // namespace

std::string ShownText(std::string_view text, size_t max_characters) {
  std::string shown;
  for (size_t count = 0; !text.empty() && count < max_characters;) {
    const std::string_view before = text;
    const char32_t character = TakeCharacter(text);
    if (IsControl(character)) continue;
    shown += before.substr(0, before.size() - text.size());
    ++count;
  }
  return shown;
}

bool IsColor(std::string_view text) {
  constexpr std::array<size_t, 4> kDigits = {3, 4, 6, 8};
  if (text.empty() || text[0] != '#') return false;
  const std::string_view digits = text.substr(1);
  if (std::find(kDigits.begin(), kDigits.end(), digits.size()) == kDigits.end()) return false;
  return digits.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::optional<uint32_t> PositionOfNumber(double number) {
  if (!std::isfinite(number) || number < 0) return std::nullopt;
  return static_cast<uint32_t>(
      std::min(std::trunc(number), static_cast<double>(std::numeric_limits<uint32_t>::max())));
}

}  // namespace cursorwire::collab
