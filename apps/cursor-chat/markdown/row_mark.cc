#include "markdown/row_mark.h"

#include <optional>
#include <string_view>
#include <utility>

#include "output/answer_marks.h"

namespace cursor_chat::markdown {
namespace {

// A place in a row.
struct Place {
  size_t part = 0;
  size_t byte = 0;
};

bool IsAscii(char c) { return (static_cast<unsigned char>(c) & 0x80) == 0; }
char LowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool IsWordCharacter(char c) {
  return (LowerCase(c) >= 'a' && LowerCase(c) <= 'z') || (c >= '0' && c <= '9');
}

// Where the words begin, if nothing but signs stands before them. What is not ASCII may be
// invisible, and stand between their letters.
std::optional<Place> PlaceOfWords(const StyledLine& row) {
  Place first;
  size_t matched = 0;
  for (size_t part = 0; part < row.size(); ++part) {
    const std::string_view text = row[part].text;
    for (size_t byte = 0; byte < text.size(); ++byte) {
      const char c = text[byte];
      if (!IsAscii(c) || (matched == 0 && !IsWordCharacter(c))) continue;
      if (LowerCase(c) != kOwnWords[matched]) return std::nullopt;
      if (matched == 0) first = {.part = part, .byte = byte};
      if (++matched == kOwnWords.size()) return first;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<StyledLine> MarkRow(StyledLine row, size_t columns) {
  const std::optional<Place> place = PlaceOfWords(row);
  if (!place) return {std::move(row)};
  row[place->part].text.insert(place->byte, kAnswerMark);
  return CutLine(row, columns);
}

}  // namespace cursor_chat::markdown
