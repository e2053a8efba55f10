#ifndef CURSORWIRE_SRC_WIRE_PROTO_READER_H_
#define CURSORWIRE_SRC_WIRE_PROTO_READER_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace cursorwire::wire {

// The wire types of protobuf. 3 and 4 (groups) are refused: agent.v1 has no groups.
enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

struct ProtoField {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t scalar = 0;       // for the three number types
  std::string_view bytes{};  // for kLength; a view into the message
};

// Walks the fields of one serialized protobuf message, without a schema.
//
// Order: Next() until it returns nullopt or an error; after an error it stays failed.
// Memory: none of its own. The message must outlive it and the views, which point into the message.
// Thread-compatible. Source: protobuf "Encoding" page.
class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message) : message_(message), rest_(message) {}

  //   kInternal  truncated field, varint over 10 bytes, number 0 or over 2^29-1, or a group
  absl::StatusOr<std::optional<ProtoField>> Next();

 private:
  std::optional<uint64_t> ReadVarint();
  std::optional<uint64_t> ReadFixed(size_t size);
  absl::StatusOr<ProtoField> ReadValue(uint32_t number, uint64_t wire_type);
  absl::Status Fail(std::string_view what);

  std::string_view message_;
  std::string_view rest_;
  absl::Status error_;
};

}  // namespace cursorwire::wire

#endif  // CURSORWIRE_SRC_WIRE_PROTO_READER_H_
