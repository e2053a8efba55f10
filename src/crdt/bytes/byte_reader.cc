#include "crdt/bytes/byte_reader.h"

namespace cursorwire::crdt {
namespace {

constexpr unsigned kBitsOfByte = 7;
constexpr unsigned kLastShift = 63;  // of the tenth byte
constexpr uint8_t kMore = 0x80;
constexpr uint8_t kSign = 0x40;
constexpr uint8_t kAllOnes = 0x7f;

}  // namespace

void ByteReader::Fail() {
  failed_ = true;
  rest_ = {};
}

uint64_t ByteReader::TakeLongUint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift <= kLastShift; shift += kBitsOfByte) {
    const uint8_t byte = TakeByte();
    if (shift == kLastShift && byte > 1) break;
    value |= uint64_t{static_cast<uint8_t>(byte & ~kMore)} << shift;
    if ((byte & kMore) != 0) continue;
    if (byte == 0 && shift != 0) break;  // not the shortest form
    return value;
  }
  Fail();
  return 0;
}

int64_t ByteReader::TakeInt() {
  uint64_t value = 0;
  uint8_t before = 0;
  for (unsigned shift = 0; shift <= kLastShift; shift += kBitsOfByte) {
    const uint8_t byte = TakeByte();
    const auto bits = static_cast<uint8_t>(byte & ~kMore);
    if (shift == kLastShift && byte != 0 && byte != kAllOnes) break;
    value |= uint64_t{bits} << shift;
    if ((byte & kMore) != 0) {
      before = byte;
      continue;
    }
    const bool negative = (byte & kSign) != 0;
    // A last byte that says what the sign bit of the one before has said.
    if (shift != 0 && bits == (negative ? kAllOnes : 0) && ((before & kSign) != 0) == negative)
      break;
    if (negative && shift < kLastShift) value |= ~uint64_t{0} << (shift + kBitsOfByte);
    return static_cast<int64_t>(value);
  }
  Fail();
  return 0;
}

}  // namespace cursorwire::crdt
