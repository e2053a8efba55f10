#include "wire/proto_reader.h"

#include <absl/strings/str_cat.h>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::wire {
namespace {

constexpr uint64_t kMaxFieldNumber = (uint64_t{1} << 29) - 1;
constexpr size_t kMaxVarintBytes = 10;

}  // namespace

absl::StatusOr<std::optional<ProtoField>> ProtoReader::Next() {
  if (!error_.ok()) return error_;
  if (rest_.empty()) return std::nullopt;
  const std::optional<uint64_t> tag = ReadVarint();
  if (!tag) return Fail("broken tag");
  const uint64_t number = *tag >> 3;
  if (number == 0 || number > kMaxFieldNumber) return Fail("field number out of range");
  absl::StatusOr<ProtoField> field = ReadValue(static_cast<uint32_t>(number), *tag & 7);
  if (!field.ok()) return field.status();
  return *field;
}

absl::StatusOr<ProtoField> ProtoReader::ReadValue(uint32_t number, uint64_t wire_type) {
  ProtoField field{.number = number, .type = static_cast<WireType>(wire_type)};
  std::optional<uint64_t> value;
  switch (wire_type) {
    case 0:
      value = ReadVarint();
      break;
    case 1:
      value = ReadFixed(8);
      break;
    case 2:
      value = ReadVarint();
      if (!value || *value > rest_.size()) return Fail("truncated field");
      field.bytes = rest_.substr(0, static_cast<size_t>(*value));
      rest_.remove_prefix(field.bytes.size());
      return field;
    case 5:
      value = ReadFixed(4);
      break;
    default:
      return Fail("unsupported wire type");
  }
  if (!value) return Fail("truncated field");
  field.scalar = *value;
  return field;
}

std::optional<uint64_t> ProtoReader::ReadVarint() {
  uint64_t value = 0;
  for (size_t i = 0; i < rest_.size() && i < kMaxVarintBytes; ++i) {
    const auto byte = static_cast<uint8_t>(rest_[i]);
    // The tenth byte may hold only the 64th bit.
    if (i == kMaxVarintBytes - 1 && byte > 1) return std::nullopt;
    value |= uint64_t{byte & 0x7Fu} << (7 * i);
    if ((byte & 0x80) == 0) {
      rest_.remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

std::optional<uint64_t> ProtoReader::ReadFixed(size_t size) {
  if (rest_.size() < size) return std::nullopt;
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i) {
    value |= uint64_t{static_cast<uint8_t>(rest_[i])} << (8 * i);
  }
  rest_.remove_prefix(size);
  return value;
}

absl::Status ProtoReader::Fail(std::string_view what) {
  error_ = ProtocolError(absl::StrCat("protobuf: ", ToAbsl(what), " at byte ",
                                      message_.size() - rest_.size(), " of ", message_.size()));
  return error_;
}

}  // namespace cursorwire::wire
