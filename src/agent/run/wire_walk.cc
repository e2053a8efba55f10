#include "agent/run/wire_walk.h"

#include <absl/functional/function_ref.h>

#include <utility>

#include "base/strings.h"
#include "wire/proto_reader.h"
#include "wire/proto_writer.h"

namespace cursorwire::agent {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using wire::ProtoField;
using wire::WireType;

constexpr int kMaxMessageDepth = 100;

// nullptr: the type does not know the field, or its bytes are not what the type says.
const FieldDescriptor* KnownField(const Descriptor& type, const ProtoField& field) {
  if (field.type != WireType::kLength) return nullptr;
  return type.FindFieldByNumber(static_cast<int>(field.number));
}

// Calls `visit` with each field. False if the bytes are not fields, or a `visit` returns false.
bool ForEachField(std::string_view message, int depth,
                  absl::FunctionRef<bool(const ProtoField&)> visit) {
  if (depth > kMaxMessageDepth) return false;
  wire::ProtoReader reader(message);
  for (;;) {
    const auto field = reader.Next();
    if (!field.ok()) return false;
    if (!field->has_value()) return true;
    if (!visit(**field)) return false;
  }
}

bool CheckFields(std::string_view message, const Descriptor& type, int depth) {
  return ForEachField(message, depth, [&type, depth](const ProtoField& field) {
    const FieldDescriptor* known = KnownField(type, field);
    const bool is_message = known != nullptr && known->type() == FieldDescriptor::TYPE_MESSAGE;
    return !is_message || CheckFields(field.bytes, *known->message_type(), depth + 1);
  });
}

void CopyField(const ProtoField& field, wire::ProtoWriter& out) {
  switch (field.type) {
    case WireType::kVarint:
      return out.Varint(field.number, field.scalar);
    case WireType::kFixed64:
      return out.Fixed64(field.number, field.scalar);
    case WireType::kLength:
      return out.Bytes(field.number, field.bytes);
    case WireType::kFixed32:
      return out.Fixed32(field.number, static_cast<uint32_t>(field.scalar));
  }
}

bool MendFields(std::string_view message, const Descriptor& type, wire::ProtoWriter& out,
                int depth) {
  return ForEachField(message, depth, [&type, &out, depth](const ProtoField& field) {
    const FieldDescriptor* known = KnownField(type, field);
    if (known != nullptr && known->type() == FieldDescriptor::TYPE_STRING) {
      out.Bytes(field.number, ToUtf8(field.bytes));
    } else if (known != nullptr && known->type() == FieldDescriptor::TYPE_MESSAGE) {
      wire::ProtoWriter inner;
      if (!MendFields(field.bytes, *known->message_type(), inner, depth + 1)) return false;
      out.Bytes(field.number, inner.message());
    } else {
      CopyField(field, out);
    }
    return true;
  });
}

}  // namespace

bool IsWellFormed(std::string_view message, const Descriptor& type) {
  return CheckFields(message, type, 0);
}

std::optional<std::string> WithUtf8Strings(std::string_view message, const Descriptor& type) {
  wire::ProtoWriter out;
  if (!MendFields(message, type, out, 0)) return std::nullopt;
  return std::move(out).message();
}

}  // namespace cursorwire::agent
