#ifndef CURSORWIRE_SRC_CRDT_BYTES_BYTE_READER_H_
#define CURSORWIRE_SRC_CRDT_BYTES_BYTE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cursorwire::crdt {

// Reads the values of a format from the front of bytes. The first read that fails sets failed(),
// and all that follow give nothing: 0, or an empty view. So a decoder reads a whole record and
// looks once; what it stores before must be bounded by itself.
//
// The bytes must outlive it and the views that it returns. Thread-compatible.
class ByteReader {
 public:
  ByteReader() = default;
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  bool failed() const { return failed_; }
  // Nothing is left, or a read has failed.
  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  uint8_t TakeByte();
  // LEB128 of at most 10 bytes, in its shortest form (DWARF 5, 7.6). Fails for anything else, and
  // where the value needs more than 64 bits.
  uint64_t TakeUint();
  int64_t TakeInt();
  // `count` bytes.
  std::string_view Take(uint64_t count);
  // A length as TakeUint(), and that many bytes.
  std::string_view TakeString() { return Take(TakeUint()); }

  void Fail();

 private:
  uint64_t TakeLongUint();

  std::string_view rest_;
  bool failed_ = false;
};

inline uint8_t ByteReader::TakeByte() {
  if (rest_.empty()) {
    Fail();
    return 0;
  }
  const auto byte = static_cast<uint8_t>(rest_.front());
  rest_.remove_prefix(1);
  return byte;
}

inline uint64_t ByteReader::TakeUint() {
  if (!rest_.empty() && static_cast<uint8_t>(rest_.front()) < 0x80) return TakeByte();
  return TakeLongUint();
}

inline std::string_view ByteReader::Take(uint64_t count) {
  if (count > rest_.size()) {
    Fail();
    return {};
  }
  const std::string_view bytes = rest_.substr(0, static_cast<size_t>(count));
  rest_.remove_prefix(bytes.size());
  return bytes;
}

}  // namespace cursorwire::crdt

#endif  // CURSORWIRE_SRC_CRDT_BYTES_BYTE_READER_H_
