#ifndef CURSORWIRE_SRC_CRDT_BYTES_BYTE_WRITER_H_
#define CURSORWIRE_SRC_CRDT_BYTES_BYTE_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace cursorwire::crdt {

// For numbers of more than one byte.
void AppendLongUint(std::string& out, uint64_t value);
void AppendLongInt(std::string& out, int64_t value);

// Each appends to `out` what the ByteReader function of that name reads.
inline void AppendUint(std::string& out, uint64_t value) {
  if (value >= 0x80) return AppendLongUint(out, value);
  out.push_back(static_cast<char>(value));
}
inline void AppendInt(std::string& out, int64_t value) {
  if (value < -0x40 || value >= 0x40) return AppendLongInt(out, value);
  out.push_back(static_cast<char>(static_cast<uint8_t>(value) & 0x7f));
}
inline void AppendString(std::string& out, std::string_view bytes) {
  AppendUint(out, bytes.size());
  out.append(bytes);
}

}  // namespace cursorwire::crdt

#endif  // CURSORWIRE_SRC_CRDT_BYTES_BYTE_WRITER_H_
