#ifndef CURSORWIRE_SRC_CRDT_TEXT_TEXT_SIZE_H_
#define CURSORWIRE_SRC_CRDT_TEXT_TEXT_SIZE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cursorwire::crdt {

// What places in a text are counted in.
enum class Unit : uint8_t {
  kBytes,       // of UTF-8
  kUtf16,       // as JavaScript counts
  kCodePoints,  // as Python, Rust and Neovim count
  kLines,       // line feeds in front of it
};

// How long a text is, in each unit. Sums and differences wrap, so that a difference may be added.
struct TextSize {
  uint32_t bytes = 0;
  uint32_t utf16 = 0;
  uint32_t code_points = 0;
  uint32_t lines = 0;

  uint32_t In(Unit unit) const {
    switch (unit) {
      case Unit::kBytes:
        return bytes;
      case Unit::kUtf16:
        return utf16;
      case Unit::kCodePoints:
        return code_points;
      case Unit::kLines:
        return lines;
    }
    return 0;
  }
  TextSize& operator+=(const TextSize& other) {
    bytes += other.bytes;
    utf16 += other.utf16;
    code_points += other.code_points;
    lines += other.lines;
    return *this;
  }
  TextSize& operator-=(const TextSize& other) {
    bytes -= other.bytes;
    utf16 -= other.utf16;
    code_points -= other.code_points;
    lines -= other.lines;
    return *this;
  }

  friend TextSize operator+(TextSize a, const TextSize& b) { return a += b; }
  friend TextSize operator-(TextSize a, const TextSize& b) { return a -= b; }
  friend bool operator==(const TextSize&, const TextSize&) = default;
};

// The size of well-formed UTF-8 of less than 4 GiB.
TextSize Measure(std::string_view text);

// The longest prefix of `text` that is no longer than `count` of this unit. Never ends within a
// character. For kLines: through that many line feeds.
std::string_view PrefixOf(std::string_view text, Unit unit, size_t count);

}  // namespace cursorwire::crdt

#endif  // CURSORWIRE_SRC_CRDT_TEXT_TEXT_SIZE_H_
