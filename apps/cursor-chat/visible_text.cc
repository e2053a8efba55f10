#include "visible_text.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace cursor_chat {
namespace {

struct Range {
  uint32_t first;
  uint32_t last;
};

// Source: Unicode 15, categories Cf, Zs except for the space itself, Zl, Zp, Mn of the blocks of
// combining marks, and DerivedCoreProperties.txt, Default_Ignorable_Code_Point.
constexpr Range kUnseen[] = {
    {0xA0, 0xA0},
    {0xAD, 0xAD},
    {0x300, 0x36F},
    {0x483, 0x489},
    {0x600, 0x605},
    {0x61C, 0x61C},
    {0x6DD, 0x6DD},
    {0x70F, 0x70F},
    {0x890, 0x891},
    {0x8E2, 0x8E2},
    {0x115F, 0x1160},
    {0x1680, 0x1680},
    {0x17B4, 0x17B5},
    {0x180B, 0x180F},
    {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF},
    {0x2000, 0x200F},
    {0x2028, 0x202F},
    {0x205F, 0x206F},
    {0x20D0, 0x20FF},
    {0x2800, 0x2800},
    {0x3000, 0x3000},
    {0x3164, 0x3164},
    {0xFE00, 0xFE0F},
    {0xFE20, 0xFE2F},
    {0xFEFF, 0xFEFF},
    {0xFFA0, 0xFFA0},
    {0xFFF0, 0xFFFB},
    {0x110BD, 0x110BD},
    {0x110CD, 0x110CD},
    {0x13430, 0x13455},
    {0x16FE4, 0x16FE4},
    {0x1BCA0, 0x1BCA3},
    {0x1D159, 0x1D159},
    {0x1D173, 0x1D17A},
    {0xE0000, 0xE0FFF},
    // Noncharacters and private use.
    {0xE000, 0xF8FF},
    {0xFDD0, 0xFDEF},
    {0xF0000, 0x10FFFF},
};

// Marks of individual scripts that only say how the letters beside them are joined. Source: Unicode
// 15, IndicSyllabicCategory.txt, Invisible_Stacker and Number_Joiner, and U+2D7F.
constexpr uint32_t kJoiners[] = {0x1039,  0x17D2,  0x1A60,  0x1BAB,  0x2D7F,  0xAAF6,  0x10A3F,
                                 0x1107F, 0x11133, 0x1193E, 0x11A47, 0x11A99, 0x11D45, 0x11D97};

bool IsControl(uint32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

// After a letter of a script that has joiners, a joiner is part of what is visible.
bool IsUnseen(uint32_t c, uint32_t before) {
  if ((c & 0xFFFE) == 0xFFFE) return true;  // a noncharacter, in each plane
  if (before < 0x80 &&
      std::find(std::begin(kJoiners), std::end(kJoiners), c) != std::end(kJoiners)) {
    return true;
  }
  return std::any_of(std::begin(kUnseen), std::end(kUnseen),
                     [c](const Range& range) { return c >= range.first && c <= range.last; });
}

struct Character {
  uint32_t code = 0;
  size_t bytes = 0;  // 0: not UTF-8
};

size_t BytesOf(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

// Decodes the first character of the text, which must not be empty.
Character Decode(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t bytes = BytesOf(lead);
  if (bytes == 1) return {lead, 1};
  if (bytes == 0 || bytes > text.size()) return {};
  uint32_t code = lead & (0x7Fu >> bytes);
  for (const char c : text.substr(1, bytes - 1)) {
    if ((static_cast<unsigned char>(c) & 0xC0) != 0x80) return {};
    code = (code << 6) | (static_cast<unsigned char>(c) & 0x3Fu);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  const bool no_character = (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF;
  return overlong || no_character ? Character{} : Character{code, bytes};
}

std::string Escaped(const char* format, unsigned value) {
  char buffer[16];
  std::snprintf(buffer, sizeof(buffer), format, value);
  return buffer;
}

// `shows` gets a character and the one before it, or 0 at the start.
template <typename Shows>
std::string Escape(std::string_view text, const Shows& shows) {
  std::string result;
  uint32_t before = 0;
  while (!text.empty()) {
    const Character character = Decode(text);
    if (character.bytes == 0) {
      result += Escaped("<0x%02X>", static_cast<unsigned char>(text[0]));
      text.remove_prefix(1);
      before = 0;
      continue;
    }
    if (shows(character.code, std::exchange(before, character.code))) {
      result += text.substr(0, character.bytes);
    } else {
      result += Escaped("<U+%04X>", character.code);
    }
    text.remove_prefix(character.bytes);
  }
  return result;
}

bool IsBreakOrTab(uint32_t c) { return c == '\n' || c == '\t'; }

}  // namespace

std::string VisibleText(std::string_view text) {
  return Escape(text, [](uint32_t c, uint32_t) { return IsBreakOrTab(c) || !IsControl(c); });
}

std::string ExactText(std::string_view text) {
  return Escape(text, [](uint32_t c, uint32_t before) {
    return IsBreakOrTab(c) || (!IsControl(c) && !IsUnseen(c, before));
  });
}

std::string ExactLine(std::string_view text) {
  return Escape(text,
                [](uint32_t c, uint32_t before) { return !IsControl(c) && !IsUnseen(c, before); });
}

size_t FindNonUtf8(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    const Character character = Decode(text.substr(at));
    if (character.bytes == 0) return at;
    at += character.bytes;
  }
  return text.npos;
}

void CutToWholeCharacters(std::string& text) {
  // A character has at most three bytes after its first.
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const size_t start = text.size() - back;
    const size_t bytes = BytesOf(static_cast<unsigned char>(text[start]));
    if (bytes == 0) continue;
    if (bytes > back) text.resize(start);
    return;
  }
}

std::vector<std::string> WrapLine(std::string_view line, size_t columns) {
  constexpr size_t kTabColumns = 4;
  std::vector<std::string> pieces(1);
  size_t used = 0;
  while (!line.empty()) {
    const size_t bytes = std::max<size_t>(1, Decode(line).bytes);
    const bool tab = line[0] == '\t';
    const size_t width = tab ? kTabColumns : (bytes == 1 ? 1 : 2);
    if (used + width > columns && used > 0) {
      pieces.emplace_back();
      used = 0;
    }
    pieces.back() += tab ? std::string(kTabColumns, ' ') : std::string(line.substr(0, bytes));
    used += width;
    line.remove_prefix(bytes);
  }
  return pieces;
}

}  // namespace cursor_chat
