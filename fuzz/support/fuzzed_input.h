#ifndef CURSORWIRE_FUZZ_SUPPORT_FUZZED_INPUT_H_
#define CURSORWIRE_FUZZ_SUPPORT_FUZZED_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cursorwire::fuzz {

// The input of a harness, consumed from the front. When it is used up, bytes are 0 and pieces are
// empty, so every input is valid and a seed can be written by hand. Views point into the input.
class FuzzedInput {
 public:
  explicit FuzzedInput(std::string_view bytes) : rest_(bytes) {}
  FuzzedInput(const uint8_t* data, size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}

  bool empty() const { return rest_.empty(); }

  uint8_t TakeByte() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }
  // Big-endian.
  uint16_t TakeUint16() {
    const unsigned high = TakeByte();
    return static_cast<uint16_t>(high << 8 | TakeByte());
  }
  // The next `size` bytes, or the rest if that is shorter.
  std::string_view Take(size_t size) {
    const std::string_view piece = rest_.substr(0, size);
    rest_.remove_prefix(piece.size());
    return piece;
  }
  // A length in one byte, followed by that many bytes.
  std::string_view TakeShortString() { return Take(TakeByte()); }
  std::string_view TakeRest() { return Take(rest_.size()); }

 private:
  std::string_view rest_;
};

}  // namespace cursorwire::fuzz

#endif  // CURSORWIRE_FUZZ_SUPPORT_FUZZED_INPUT_H_
