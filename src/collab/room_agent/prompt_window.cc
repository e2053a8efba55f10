#include "collab/room_agent/prompt_window.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "collab/room_agent/line_splice.h"

namespace cursorwire::room_agent {
namespace {

// Characters that one is looked for at whose front the text may be cut.
constexpr int kMaxGraphemeSteps = 64;

bool ContinuesWindowUnit(char byte) { return (static_cast<uint8_t>(byte) & 0xc0) == 0x80; }
// A character of four bytes is two units, each other one.
size_t UnitsOfWindowLead(char byte) { return static_cast<uint8_t>(byte) >= 0xf0 ? 2 : 1; }

// The first byte of the character in front of `at`, which is not 0.
size_t CharacterBefore(std::string_view text, size_t at) {
  --at;
  while (at > 0 && ContinuesWindowUnit(text[at])) --at;
  return at;
}

size_t CharacterAfter(std::string_view text, size_t at) {
  ++at;
  while (at < text.size() && ContinuesWindowUnit(text[at])) ++at;
  return at;
}

bool HasMoreUnits(std::string_view text, size_t most) {
  if (text.size() <= most) return false;
  if (text.size() > 3 * most) return true;
  size_t units = 0;
  for (const char byte : text) {
    if (!ContinuesWindowUnit(byte)) units += UnitsOfWindowLead(byte);
  }
  return units > most;
}

// Up to `units` in front of `at`.
size_t WindowBack(std::string_view text, size_t at, size_t units) {
  while (at > 0) {
    const size_t before = CharacterBefore(text, at);
    const size_t width = UnitsOfWindowLead(text[before]);
    if (width > units) break;
    units -= width;
    at = before;
  }
  return at;
}

size_t WindowAhead(std::string_view text, size_t at, size_t units) {
  while (at < text.size()) {
    const size_t width = UnitsOfWindowLead(text[at]);
    if (width > units) break;
    units -= width;
    at = CharacterAfter(text, at);
  }
  return at;
}

// The same characters as crdt::DiffText() holds together.
bool ExtendsWindowLetter(char32_t value) {
  struct Range {
    char32_t first;
    char32_t last;
  };
  constexpr Range kRanges[] = {
      {0x0300, 0x036f},   {0x1ab0, 0x1aff},   {0x1dc0, 0x1dff}, {0x200d, 0x200d},
      {0x20d0, 0x20ff},   {0xfe00, 0xfe0f},   {0xfe20, 0xfe2f}, {0x1f3fb, 0x1f3ff},
      {0xe0020, 0xe007f}, {0xe0100, 0xe01ef},
  };
  return std::any_of(std::begin(kRanges), std::end(kRanges), [value](const Range& range) {
    return value >= range.first && value <= range.last;
  });
}

bool TearsWindowLetter(std::string_view text, size_t at) {
  if (at == 0 || at >= text.size()) return false;
  constexpr char32_t kJoiner = 0x200d;
  std::string_view before = text.substr(CharacterBefore(text, at), 4);
  std::string_view after = text.substr(at, 4);
  const char32_t last = TakeCharacter(before);
  const char32_t next = TakeCharacter(after);
  return (last == '\r' && next == '\n') || last == kJoiner || ExtendsWindowLetter(next);
}

size_t WindowBegin(std::string_view text, size_t prompt_end) {
  const size_t side = WindowBack(text, prompt_end, kWindowSide);
  if (side == 0) return 0;
  const size_t most = WindowBack(text, side, kMaxWindowGrowth);
  const size_t feed = text.substr(0, side).rfind('\n');
  if (feed != std::string_view::npos && feed + 1 >= most) return feed + 1;
  if (most == 0) return 0;
  size_t at = most;
  for (int i = 0; i < kMaxGraphemeSteps && at < side; ++i) {
    if (!TearsWindowLetter(text, at)) return at;
    at = CharacterAfter(text, at);
  }
  return most;
}

size_t WindowEnd(std::string_view text, size_t prompt_end) {
  const size_t side = WindowAhead(text, prompt_end, kWindowSide);
  if (side == text.size() || (side > prompt_end && text[side - 1] == '\n')) return side;
  const size_t most = WindowAhead(text, side, kMaxWindowGrowth);
  const size_t feed = text.substr(0, most).find('\n', side);
  if (feed != std::string_view::npos) return feed + 1;
  size_t at = most;
  for (int i = 0; i < kMaxGraphemeSteps && at > side; ++i) {
    if (!TearsWindowLetter(text, at)) return at;
    at = CharacterBefore(text, at);
  }
  return most;
}

}  // namespace

PromptWindow FindPromptWindow(std::string_view text, size_t prompt_end) {
  PromptWindow window{.end = text.size(), .line_count = CountLines(text)};
  prompt_end = std::min(prompt_end, text.size());
  if (HasMoreUnits(text, kMaxWholeText)) {
    window.begin = WindowBegin(text, prompt_end);
    window.end = WindowEnd(text, prompt_end);
  }
  if (text.empty()) return window;
  window.cuts_first_line = window.begin > 0 && text[window.begin - 1] != '\n';
  window.first_line = CountLines(text.substr(0, window.begin)) + (window.cuts_first_line ? 0 : 1);
  const std::string_view shown = text.substr(window.begin, window.end - window.begin);
  window.last_line = window.first_line + CountLines(shown) - (shown.empty() ? 0 : 1);
  window.cuts_last_line = window.end < text.size() && text[window.end - 1] != '\n';
  return window;
}

}  // namespace cursorwire::room_agent
