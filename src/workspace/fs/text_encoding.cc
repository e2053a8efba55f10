#include "workspace/fs/text_encoding.h"

#include <absl/strings/str_cat.h>

#include <cstddef>
#include <cstdint>

#include "base/strings.h"

namespace cursorwire::workspace {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16LeMark = "\xFF\xFE";
constexpr std::string_view kUtf16BeMark = "\xFE\xFF";
constexpr char32_t kFirstHigh = 0xD800;
constexpr char32_t kFirstLow = 0xDC00;
constexpr char32_t kEndOfLow = 0xE000;
constexpr char32_t kFirstPair = 0x10000;
constexpr unsigned kPairBits = 10;  // in each half of a pair
constexpr unsigned kByteBits = 8;
constexpr char32_t kByteMask = 0xFF;

// Bits that each further byte of a character has in UTF-8, and what marks it. RFC 3629.
constexpr unsigned kMoreBits = 6;
constexpr char32_t kMoreMask = 0x3F;
constexpr char32_t kMoreMark = 0x80;

void AppendUtf8Character(char32_t c, std::string& text) {
  constexpr char32_t kEndOfOne = 0x80;
  constexpr char32_t kEndOfTwo = 0x800;
  constexpr char32_t kTwo = 0xC0;
  constexpr char32_t kThree = 0xE0;
  constexpr char32_t kFour = 0xF0;
  if (c < kEndOfOne) {
    text += static_cast<char>(c);
    return;
  }
  const int more = c < kEndOfTwo ? 1 : c < kFirstPair ? 2 : 3;
  const char32_t mark = more == 1 ? kTwo : more == 2 ? kThree : kFour;
  text += static_cast<char>(mark | (c >> (kMoreBits * static_cast<unsigned>(more))));
  for (int i = more - 1; i >= 0; --i) {
    text +=
        static_cast<char>(kMoreMark | ((c >> (kMoreBits * static_cast<unsigned>(i))) & kMoreMask));
  }
}

// The two bytes at `at` as a unit of UTF-16.
char32_t UnitAt(std::string_view content, size_t at, bool little) {
  const auto first = static_cast<unsigned char>(content[at]);
  const auto second = static_cast<unsigned char>(content[at + 1]);
  return little ? char32_t{second} << kByteBits | first : char32_t{first} << kByteBits | second;
}

void AppendUnit(char32_t unit, bool little, std::string& content) {
  const char high = static_cast<char>(unit >> kByteBits & kByteMask);
  const char low = static_cast<char>(unit & kByteMask);
  content += little ? low : high;
  content += little ? high : low;
}

}  // namespace

TextEncoding EncodingOf(std::string_view content) {
  if (Utf16ToUtf8(content)) {
    return content.starts_with(kUtf16LeMark) ? TextEncoding::kUtf16Le : TextEncoding::kUtf16Be;
  }
  if (content.find('\0') != content.npos) return TextEncoding::kNoText;
  if (!IsUtf8(content)) return TextEncoding::kOtherText;
  return content.starts_with(kUtf8Mark) ? TextEncoding::kUtf8Mark : TextEncoding::kUtf8;
}

std::optional<std::string> Utf16ToUtf8(std::string_view content) {
  const bool little = content.starts_with(kUtf16LeMark);
  if ((!little && !content.starts_with(kUtf16BeMark)) || content.size() % 2 != 0) {
    return std::nullopt;
  }
  std::string text;
  for (size_t at = kUtf16LeMark.size(); at < content.size(); at += 2) {
    char32_t c = UnitAt(content, at, little);
    if (c == 0 || (c >= kFirstLow && c < kEndOfLow)) return std::nullopt;
    if (c >= kFirstHigh && c < kFirstLow) {
      at += 2;
      if (at == content.size()) return std::nullopt;
      const char32_t low = UnitAt(content, at, little);
      if (low < kFirstLow || low >= kEndOfLow) return std::nullopt;
      c = kFirstPair + ((c - kFirstHigh) << kPairBits) + (low - kFirstLow);
    }
    AppendUtf8Character(c, text);
  }
  return text;
}

std::string EncodeText(std::string_view text, TextEncoding encoding) {
  if (encoding == TextEncoding::kUtf8Mark) {
    return absl::StrCat(text.starts_with(kUtf8Mark) ? "" : ToAbsl(kUtf8Mark), ToAbsl(text));
  }
  const bool little = encoding == TextEncoding::kUtf16Le;
  if (!little && encoding != TextEncoding::kUtf16Be) return std::string(text);
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  std::string content(little ? kUtf16LeMark : kUtf16BeMark);
  while (!text.empty()) {
    const char32_t c = TakeCharacter(text);
    if (c < kFirstPair) {
      AppendUnit(c, little, content);
      continue;
    }
    AppendUnit(kFirstHigh + ((c - kFirstPair) >> kPairBits), little, content);
    AppendUnit(kFirstLow + ((c - kFirstPair) & ((1U << kPairBits) - 1)), little, content);
  }
  return content;
}

}  // namespace cursorwire::workspace
