#include "mcp/plain_text.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>

#include "base/strings.h"

namespace cursorwire::mcp {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// Source: Unicode 15, categories Cc and Cf.
constexpr Range kUnseen[] = {
    {0x00, 0x08},     {0x0B, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},
    {0x61C, 0x61C},   {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E},
    {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F},
};

bool IsUnseen(char32_t character) {
  return std::any_of(std::begin(kUnseen), std::end(kUnseen), [character](const Range& range) {
    return character >= range.first && character <= range.last;
  });
}

}  // namespace

std::string PlainText(std::string_view text) {
  const std::string utf8 = ToUtf8(text);
  std::string result;
  result.reserve(utf8.size());
  for (std::string_view rest = utf8; !rest.empty();) {
    const std::string_view before = rest;
    if (IsUnseen(TakeCharacter(rest))) continue;
    result.append(before.substr(0, before.size() - rest.size()));
  }
  return result;
}

std::string PlainLine(std::string_view text, size_t max_bytes) {
  constexpr std::string_view kCut = "...";
  std::string line = PlainText(text.substr(0, 4 * max_bytes));
  for (char& c : line) {
    if (c == '\n' || c == '\t') c = ' ';
  }
  if (line.size() <= max_bytes && text.size() <= 4 * max_bytes) return line;
  return absl::StrCat(ToAbsl(Utf8Prefix(line, max_bytes - kCut.size())), ToAbsl(kCut));
}

}  // namespace cursorwire::mcp
