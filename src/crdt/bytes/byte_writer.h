#ifndef CURSORWIRE_SRC_CRDT_BYTES_BYTE_WRITER_H_
#define CURSORWIRE_SRC_CRDT_BYTES_BYTE_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace cursorwire::crdt {

// Each appends to `out` what the ByteReader function of that name reads.
void AppendUint(std::string& out, uint64_t value);
void AppendInt(std::string& out, int64_t value);
void AppendString(std::string& out, std::string_view bytes);

}  // namespace cursorwire::crdt

#endif  // CURSORWIRE_SRC_CRDT_BYTES_BYTE_WRITER_H_
