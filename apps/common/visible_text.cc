#include "common/visible_text.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <utility>

#include "base/strings.h"
#include "base/unseen.h"

namespace cursor_apps {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// What has no shape of its own beside what IsUnseen() knows: spaces but the space itself, combining
// marks, noncharacters and private use. Source: Unicode 15, categories Zs, and Mn of the blocks of
// combining marks.
constexpr Range kShapeless[] = {
    {0xA0, 0xA0},       {0x300, 0x36F},     {0x483, 0x489},      {0x1680, 0x1680},
    {0x1AB0, 0x1AFF},   {0x1DC0, 0x1DFF},   {0x2000, 0x200A},    {0x202F, 0x202F},
    {0x205F, 0x205F},   {0x20D0, 0x20FF},   {0x2800, 0x2800},    {0x3000, 0x3000},
    {0xE000, 0xF8FF},   {0xFDD0, 0xFDEF},   {0xFE20, 0xFE2F},    {0x13440, 0x13455},
    {0x16FE4, 0x16FE4}, {0x1D159, 0x1D159}, {0xF0000, 0x10FFFF},
};

// Marks of individual scripts that only say how the letters beside them are joined. Source: Unicode
// 15, IndicSyllabicCategory.txt, Invisible_Stacker and Number_Joiner, and U+2D7F.
constexpr char32_t kJoiners[] = {0x1039,  0x17D2,  0x1A60,  0x1BAB,  0x2D7F,  0xAAF6,  0x10A3F,
                                 0x1107F, 0x11133, 0x1193E, 0x11A47, 0x11A99, 0x11D45, 0x11D97};

// How TakeCharacter() tells of a byte that is not UTF-8.
constexpr char32_t kFirstBadByte = 0x110000;

// After a letter of a script that has joiners, a joiner is part of what is visible.
bool HasNoShape(char32_t c, char32_t before) {
  if ((c & 0xFFFE) == 0xFFFE) return true;  // a noncharacter, in each plane
  if (before < 0x80 &&
      std::find(std::begin(kJoiners), std::end(kJoiners), c) != std::end(kJoiners)) {
    return true;
  }
  return cursorwire::IsUnseen(c) ||
         std::any_of(std::begin(kShapeless), std::end(kShapeless),
                     [c](const Range& range) { return c >= range.first && c <= range.last; });
}

std::string Escaped(const char* format, unsigned value) {
  char buffer[16];
  std::snprintf(buffer, sizeof(buffer), format, value);
  return buffer;
}

// `shows` gets a character and the one before it, or 0 at the start and after a bad byte.
template <typename Shows>
std::string Escape(std::string_view text, const Shows& shows) {
  std::string result;
  char32_t before = 0;
  while (!text.empty()) {
    const std::string_view rest = text;
    const char32_t c = cursorwire::TakeCharacter(text);
    if (c >= kFirstBadByte) {
      result += Escaped("<0x%02X>", c - kFirstBadByte);
      before = 0;
    } else if (shows(c, std::exchange(before, c))) {
      result += rest.substr(0, rest.size() - text.size());
    } else {
      result += Escaped("<U+%04X>", c);
    }
  }
  return result;
}

bool IsBreakOrTab(char32_t c) { return c == '\n' || c == '\t'; }

}  // namespace

std::string VisibleText(std::string_view text) {
  return Escape(text,
                [](char32_t c, char32_t) { return IsBreakOrTab(c) || !cursorwire::IsControl(c); });
}

std::string ExactText(std::string_view text) {
  return Escape(text, [](char32_t c, char32_t before) {
    return IsBreakOrTab(c) || (!cursorwire::IsControl(c) && !HasNoShape(c, before));
  });
}

std::string ExactLine(std::string_view text) {
  return Escape(text, [](char32_t c, char32_t before) {
    return !cursorwire::IsControl(c) && !HasNoShape(c, before);
  });
}

size_t FindNonUtf8(std::string_view text) {
  for (std::string_view rest = text; !rest.empty();) {
    const size_t at = text.size() - rest.size();
    if (cursorwire::TakeCharacter(rest) >= kFirstBadByte) return at;
  }
  return text.npos;
}

void CutToWholeCharacters(std::string& text) {
  text.resize(text.size() - cursorwire::UnfinishedUtf8Bytes(text));
}

std::vector<std::string> WrapLine(std::string_view line, size_t columns) {
  constexpr size_t kTabColumns = 4;
  std::vector<std::string> pieces(1);
  size_t used = 0;
  while (!line.empty()) {
    const std::string_view rest = line;
    cursorwire::TakeCharacter(line);
    const size_t bytes = rest.size() - line.size();
    const bool tab = rest[0] == '\t';
    const size_t width = tab ? kTabColumns : (bytes == 1 ? 1 : 2);
    if (used + width > columns && used > 0) {
      pieces.emplace_back();
      used = 0;
    }
    pieces.back() += tab ? std::string(kTabColumns, ' ') : std::string(rest.substr(0, bytes));
    used += width;
  }
  return pieces;
}

}  // namespace cursor_apps
