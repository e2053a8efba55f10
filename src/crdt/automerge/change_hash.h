#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_CHANGE_HASH_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_CHANGE_HASH_H_

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace cursorwire::automerge {

// What names a change: SHA-256 of its chunk.
struct ChangeHash {
  std::array<uint8_t, 32> bytes{};

  static constexpr size_t kSize = 32;

  // Of kSize bytes.
  static ChangeHash From(std::string_view bytes) {
    ChangeHash hash;
    std::memcpy(hash.bytes.data(), bytes.data(), kSize);
    return hash;
  }
  std::string_view view() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  // 64 digits.
  std::string ToHex() const;
  // The number in 4 bytes from `offset`, little-endian: every part of a hash is as good as random.
  uint32_t Word(size_t offset) const {
    return uint32_t{bytes[offset]} | uint32_t{bytes[offset + 1]} << 8 |
           uint32_t{bytes[offset + 2]} << 16 | uint32_t{bytes[offset + 3]} << 24;
  }

  friend bool operator==(const ChangeHash&, const ChangeHash&) = default;
  friend std::strong_ordering operator<=>(const ChangeHash& a, const ChangeHash& b) {
    return std::memcmp(a.bytes.data(), b.bytes.data(), kSize) <=> 0;
  }
};

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_CHANGE_HASH_H_
