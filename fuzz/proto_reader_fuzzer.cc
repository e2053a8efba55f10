// Walks the fields of a message with ProtoReader, and compares with protobuf's UnknownFieldSet.
//
// The two do not accept the same bytes: ProtoReader refuses groups and varints over 64 bits, and
// accepts tags and lengths that are longer than necessary. But if one of them accepts a message and
// writes it again in the shortest form, the other must accept that, with the same fields.
//
// Input: the message.

#include <google/protobuf/unknown_field_set.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/harness.h"
#include "wire/proto_reader.h"
#include "wire/proto_writer.h"

namespace {

using cursorwire::fuzz::Check;
using cursorwire::wire::ProtoField;
using cursorwire::wire::ProtoReader;
using cursorwire::wire::ProtoWriter;
using cursorwire::wire::WireType;
using google::protobuf::UnknownField;
using google::protobuf::UnknownFieldSet;

struct Field {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t scalar = 0;
  std::string bytes{};

  friend bool operator==(const Field&, const Field&) = default;
};
using Fields = std::optional<std::vector<Field>>;  // nullopt: refused

bool IsWithin(std::string_view part, std::string_view whole) {
  const std::less_equal<const char*> ordered;
  return ordered(whole.data(), part.data()) &&
         ordered(part.data() + part.size(), whole.data() + whole.size());
}

Fields Walk(std::string_view message) {
  ProtoReader reader(message);
  std::vector<Field> fields;
  for (;;) {
    const auto field = reader.Next();
    if (!field.ok()) {
      Check(reader.Next().status() == field.status());  // a failed reader stays failed
      return std::nullopt;
    }
    if (!field->has_value()) return fields;
    const ProtoField& value = **field;
    Check(value.type == WireType::kLength ? value.scalar == 0 && IsWithin(value.bytes, message)
                                          : value.bytes.empty());
    fields.push_back({value.number, value.type, value.scalar, std::string(value.bytes)});
    Check(fields.size() <= message.size() / 2);  // a field has at least a tag and a value
  }
}

std::string Write(const std::vector<Field>& fields) {
  ProtoWriter writer;
  for (const Field& field : fields) {
    switch (field.type) {
      case WireType::kVarint:
        writer.Varint(field.number, field.scalar);
        break;
      case WireType::kFixed64:
        writer.Fixed64(field.number, field.scalar);
        break;
      case WireType::kLength:
        writer.Bytes(field.number, field.bytes);
        break;
      case WireType::kFixed32:
        Check(field.scalar <= UINT32_MAX);
        writer.Fixed32(field.number, static_cast<uint32_t>(field.scalar));
        break;
    }
  }
  return std::move(writer).message();
}

// The fields that protobuf read; nullopt if there is a group.
Fields FieldsOf(const UnknownFieldSet& set) {
  std::vector<Field> fields;
  for (int i = 0; i < set.field_count(); ++i) {
    const UnknownField& field = set.field(i);
    const auto number = static_cast<uint32_t>(field.number());
    switch (field.type()) {
      case UnknownField::TYPE_VARINT:
        fields.push_back({number, WireType::kVarint, field.varint(), {}});
        break;
      case UnknownField::TYPE_FIXED32:
        fields.push_back({number, WireType::kFixed32, field.fixed32(), {}});
        break;
      case UnknownField::TYPE_FIXED64:
        fields.push_back({number, WireType::kFixed64, field.fixed64(), {}});
        break;
      case UnknownField::TYPE_LENGTH_DELIMITED:
        fields.push_back({number, WireType::kLength, 0, field.length_delimited()});
        break;
      case UnknownField::TYPE_GROUP:
        return std::nullopt;
    }
  }
  return fields;
}

bool Parse(std::string_view message, UnknownFieldSet& set) {
  return set.ParseFromArray(message.data(), static_cast<int>(message.size()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view message(reinterpret_cast<const char*>(data), size);
  const Fields ours = Walk(message);
  if (ours) {
    const std::string written = Write(*ours);
    Check(written.size() <= message.size());
    Check(Walk(written) == ours);
    UnknownFieldSet set;
    Check(Parse(written, set));
    Check(FieldsOf(set) == ours);
  }
  UnknownFieldSet set;
  if (!Parse(message, set)) return 0;
  const Fields theirs = FieldsOf(set);
  if (!theirs) return 0;
  Check(!ours || ours == theirs);
  std::string written;
  Check(set.SerializeToString(&written));
  Check(Walk(written) == theirs);
  return 0;
}
