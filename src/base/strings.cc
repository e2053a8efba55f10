#include "base/strings.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_replace.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace cursorwire {
namespace {

// Length of the UTF-8 sequence at the start of `text`, 0 if it is not valid.
size_t Utf8SequenceLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const uint8_t second = byte(1);
  if (first == 0xE0 && second < 0xA0) return 0;  // overlong
  if (first == 0xED && second > 0x9F) return 0;  // surrogate
  if (first == 0xF0 && second < 0x90) return 0;  // overlong
  if (first == 0xF4 && second > 0x8F) return 0;  // above U+10FFFF
  return length;
}

uint64_t LoadWord(const char* bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

bool IsAscii(uint64_t word) { return (word & 0x8080808080808080U) == 0; }

// The number of ASCII bytes at the start of `text`, in steps of 32 and 8.
size_t AsciiPrefix(std::string_view text) {
  size_t size = 0;
  for (; text.size() - size >= 32; size += 32) {
    const char* at = text.data() + size;
    if (!IsAscii(LoadWord(at) | LoadWord(at + 8) | LoadWord(at + 16) | LoadWord(at + 24))) break;
  }
  while (text.size() - size >= 8 && IsAscii(LoadWord(text.data() + size))) size += 8;
  // The last 8 bytes, some of which are known.
  const bool is_short = text.size() < 8 || text.size() - size >= 8;
  if (!is_short && IsAscii(LoadWord(text.data() + text.size() - 8))) return text.size();
  while (size < text.size() && static_cast<uint8_t>(text[size]) < 0x80) ++size;
  return size;
}

// Length of the character that begins with `first`; 1 if no character begins with it.
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

}  // namespace

std::string ToLower(std::string_view text) { return absl::AsciiStrToLower(ToAbsl(text)); }

bool IsUtf8(std::string_view text) {
  for (;;) {
    text.remove_prefix(AsciiPrefix(text));
    if (text.empty()) return true;
    const size_t length = Utf8SequenceLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
}

char32_t TakeCharacter(std::string_view& text) {
  const size_t length = Utf8SequenceLength(text);
  const auto first = static_cast<uint8_t>(text.front());
  char32_t character = length == 0   ? 0x110000 + char32_t{first}
                       : length == 1 ? first
                                     : first & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    character = character << 6 | (static_cast<uint8_t>(text[i]) & 0x3FU);
  }
  text.remove_prefix(length == 0 ? 1 : length);
  return character;
}

std::string_view Utf8Prefix(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  // A character has at most four bytes, so it begins at most three bytes before the cut.
  for (size_t back = 1; back <= 3 && back <= max_bytes; ++back) {
    const size_t length = Utf8SequenceLength(text.substr(max_bytes - back));
    if (length > back) return text.substr(0, max_bytes - back);
    if (length != 0) break;
  }
  return text.substr(0, max_bytes);
}

size_t UnfinishedUtf8Bytes(std::string_view text) {
  for (size_t back = 1; back <= std::min<size_t>(3, text.size()); ++back) {
    const std::string_view start = text.substr(text.size() - back);
    if (CharacterLength(start.front()) > back && CanBecomeCharacter(start)) return back;
  }
  return 0;
}

std::string ToUtf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (;;) {
    const size_t ascii = AsciiPrefix(text);
    result += text.substr(0, ascii);
    text.remove_prefix(ascii);
    if (text.empty()) return result;
    const size_t length = Utf8SequenceLength(text);
    if (length == 0) {
      result += "\xEF\xBF\xBD";
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

std::string EscapeLineSeparators(std::string json) {
  absl::StrReplaceAll(
      {{"\xE2\x80\xA8", "\\u2028"}, {"\xE2\x80\xA9", "\\u2029"}, {"\xC2\x85", "\\u0085"}}, &json);
  return json;
}

std::string Printable(std::string_view text, size_t max_bytes) {
  std::string result(text.substr(0, max_bytes));
  for (char& c : result) {
    if (c < 0x20 || c > 0x7E) c = '?';
  }
  return result;
}

}  // namespace cursorwire
