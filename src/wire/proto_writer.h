#ifndef CURSORWIRE_SRC_WIRE_PROTO_WRITER_H_
#define CURSORWIRE_SRC_WIRE_PROTO_WRITER_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace cursorwire::wire {

// Writes the fields of one protobuf message in the order of the calls. Writes default values too:
// the caller decides what to leave out. Field numbers are 1 to 2^29-1.
// Thread-compatible. Source: protobuf "Encoding" page.
class ProtoWriter {
 public:
  void Varint(uint32_t number, uint64_t value);
  void Bool(uint32_t number, bool value) { Varint(number, value ? 1 : 0); }
  void Fixed32(uint32_t number, uint32_t value);
  void Fixed64(uint32_t number, uint64_t value);
  // A string, bytes, or an embedded message that is already serialized.
  void Bytes(uint32_t number, std::string_view value);

  const std::string& message() const& { return message_; }
  std::string&& message() && { return static_cast<std::string&&>(message_); }

 private:
  void Tag(uint32_t number, uint32_t wire_type);
  void RawVarint(uint64_t value);
  void RawFixed(uint64_t value, int size);

  std::string message_;
};

}  // namespace cursorwire::wire

#endif  // CURSORWIRE_SRC_WIRE_PROTO_WRITER_H_
