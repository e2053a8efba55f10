#include "mcp/plain_text.h"

#include <absl/strings/str_cat.h>

#include "base/strings.h"
#include "base/unseen.h"

namespace cursorwire::mcp {
std::string PlainText(std::string_view text) {
  const std::string utf8 = ToUtf8(text);
  std::string result;
  result.reserve(utf8.size());
  for (std::string_view rest = utf8; !rest.empty();) {
    const std::string_view before = rest;
    const char32_t character = TakeCharacter(rest);
    const bool is_blank = character == U'\n' || character == U'\t';
    if (!is_blank && (IsControl(character) || IsUnseen(character))) continue;
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
