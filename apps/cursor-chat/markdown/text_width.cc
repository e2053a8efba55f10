#include "markdown/text_width.h"

#include <utf8proc.h>

#include <algorithm>
#include <string>

namespace cursor_chat::markdown {
namespace {

constexpr utf8proc_int32_t kEmojiVariation = 0xFE0F;

struct CodePoint {
  utf8proc_int32_t value = 0;
  size_t bytes = 0;  // 0: the text is empty or not UTF-8
};

CodePoint FirstCodePoint(std::string_view text) {
  CodePoint point;
  const utf8proc_ssize_t bytes =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                       static_cast<utf8proc_ssize_t>(text.size()), &point.value);
  point.bytes = bytes > 0 ? static_cast<size_t>(bytes) : 0;
  return point;
}

bool IsAsciiByte(char c) { return static_cast<unsigned char>(c) < 0x80; }

Cluster TakeBytes(std::string_view& text, size_t bytes, size_t most_columns) {
  const Cluster cluster{text.substr(0, bytes), std::min<size_t>(most_columns, 2), most_columns};
  text.remove_prefix(bytes);
  return cluster;
}

size_t WidthOfPoint(utf8proc_int32_t value) {
  return static_cast<size_t>(std::max(0, utf8proc_charwidth(value)));
}

size_t SumOf(size_t Cluster::*width, std::string_view text) {
  size_t columns = 0;
  while (!text.empty()) {
    const size_t ascii = AsciiRun(text);
    columns += ascii;
    text.remove_prefix(ascii);
    if (!text.empty()) columns += TakeCluster(text).*width;
  }
  return columns;
}

}  // namespace

Cluster TakeCluster(std::string_view& text) {
  if (IsAsciiByte(text[0]) && (text.size() == 1 || IsAsciiByte(text[1]))) {
    return TakeBytes(text, 1, 1);
  }
  CodePoint point = FirstCodePoint(text);
  if (point.bytes == 0) return TakeBytes(text, 1, 1);
  size_t bytes = point.bytes;
  size_t columns = WidthOfPoint(point.value);
  utf8proc_int32_t state = 0;
  for (;;) {
    const CodePoint next = FirstCodePoint(text.substr(bytes));
    if (next.bytes == 0 || utf8proc_grapheme_break_stateful(point.value, next.value, &state)) break;
    // A sign that is also an emoji is as wide as one if it is followed by this.
    columns += next.value == kEmojiVariation && columns == 1 ? 1 : WidthOfPoint(next.value);
    bytes += next.bytes;
    point = next;
  }
  return TakeBytes(text, bytes, columns);
}

size_t TextWidth(std::string_view text) { return SumOf(&Cluster::columns, text); }

size_t MostTextWidth(std::string_view text) { return SumOf(&Cluster::most_columns, text); }

std::string PadTo(std::string_view text, size_t columns) {
  const size_t width = TextWidth(text);
  return std::string(text) + std::string(width < columns ? columns - width : 0, ' ');
}

size_t AsciiRun(std::string_view text) {
  const auto* end = std::find_if_not(text.begin(), text.end(), IsAsciiByte);
  const auto run = static_cast<size_t>(end - text.begin());
  return run == text.size() || run == 0 ? run : run - 1;
}

}  // namespace cursor_chat::markdown
