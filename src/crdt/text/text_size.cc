#include "crdt/text/text_size.h"

#include <algorithm>

namespace cursorwire::crdt {
namespace {

constexpr uint8_t kContinuationMask = 0xc0;
constexpr uint8_t kContinuation = 0x80;
constexpr uint8_t kFirstOfFour = 0xf0;

bool BeginsCharacter(char byte) {
  return (static_cast<uint8_t>(byte) & kContinuationMask) != kContinuation;
}
bool BeginsPair(char byte) { return static_cast<uint8_t>(byte) >= kFirstOfFour; }

}  // namespace

TextSize Measure(std::string_view text) {
  TextSize size;
  size.bytes = static_cast<uint32_t>(text.size());
  uint32_t pairs = 0;
  for (const char byte : text) {
    size.code_points += static_cast<uint32_t>(BeginsCharacter(byte));
    pairs += static_cast<uint32_t>(BeginsPair(byte));
    size.lines += static_cast<uint32_t>(byte == '\n');
  }
  size.utf16 = size.code_points + pairs;
  return size;
}

std::string_view PrefixOf(std::string_view text, Unit unit, size_t count) {
  if (unit == Unit::kLines) {
    size_t end = 0;
    for (; count > 0; --count) {
      const size_t feed = text.find('\n', end);
      if (feed == std::string_view::npos) return text;
      end = feed + 1;
    }
    return text.substr(0, end);
  }
  size_t end = 0;
  while (end < text.size()) {
    size_t next = end + 1;
    while (next < text.size() && !BeginsCharacter(text[next])) ++next;
    size_t units = 1;
    if (unit == Unit::kBytes) units = next - end;
    if (unit == Unit::kUtf16 && BeginsPair(text[end])) units = 2;
    if (units > count) break;
    count -= units;
    end = next;
  }
  return text.substr(0, end);
}

}  // namespace cursorwire::crdt
