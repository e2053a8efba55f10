#ifndef CURSORWIRE_SRC_WIRE_MESSAGE_CODEC_H_
#define CURSORWIRE_SRC_WIRE_MESSAGE_CODEC_H_

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/strings.h"
#include "wire/proto_reader.h"
#include "wire/proto_writer.h"

namespace cursorwire::wire {

// Encodes and decodes structs by one list of their fields, so that both directions agree. The list
// of a struct T must be in the namespace of T:
//
//   template <typename Codec>
//   void Describe(Codec& codec, typename Codec::template Ref<T> message) {
//     codec.Message("T");
//     codec.Field(1, "id", message.id);
//   }
//
// Kinds of fields: text, flag, number, optional of these, vector of texts or structs, optional
// struct, and Merged() for an embedded message that is kept as bytes.

// Writes the fields that differ from their default. Thread-compatible.
class MessageEncoder {
 public:
  template <typename T>
  using Ref = const T&;

  void Message(const char*) {}

  void Field(uint32_t number, const char*, const std::string& text) {
    if (!text.empty()) writer_.Bytes(number, text);
  }
  void Field(uint32_t number, const char*, bool value) {
    if (value) writer_.Bool(number, value);
  }
  void Field(uint32_t number, const char*, int32_t value) {
    if (value != 0) Put(number, value);
  }
  template <typename T>
  void Field(uint32_t number, const char*, const std::optional<T>& value) {
    if (value) Put(number, *value);
  }
  template <typename T>
  void Field(uint32_t number, const char*, const std::vector<T>& items,
             size_t /*limit*/ = std::numeric_limits<size_t>::max()) {
    for (const T& item : items) Put(number, item);
  }
  void Merged(uint32_t number, const char*, const std::string& bytes) {
    if (!bytes.empty()) writer_.Bytes(number, bytes);
  }

  std::string&& message() && { return std::move(writer_).message(); }

 private:
  void Put(uint32_t number, bool value) { writer_.Bool(number, value); }
  // Negative numbers are sign-extended to 64 bits (protobuf "Encoding" page, signed integers).
  void Put(uint32_t number, int32_t value) {
    writer_.Varint(number, static_cast<uint64_t>(int64_t{value}));
  }
  void Put(uint32_t number, double value) {
    writer_.Fixed64(number, std::bit_cast<uint64_t>(value));
  }
  void Put(uint32_t number, const std::string& text) { writer_.Bytes(number, text); }
  template <typename T>
  void Put(uint32_t number, const T& message) {
    MessageEncoder encoder;
    Describe(encoder, message);
    writer_.Bytes(number, std::move(encoder).message());
  }

  ProtoWriter writer_;
};

// Limits and counts for decoding one message, including its embedded messages.
struct DecodeTally {
  size_t max_elements = std::numeric_limits<size_t>::max();  // in all repeated fields together
  size_t elements = 0;
  size_t unknown_fields = 0;
};

// Stores one field from the wire in the struct whose list is applied to it. Thread-compatible.
class FieldDecoder {
 public:
  template <typename T>
  using Ref = T&;

  FieldDecoder(const ProtoField& field, DecodeTally& tally) : field_(field), tally_(tally) {}

  void Message(const char* name) { message_ = name; }

  void Field(uint32_t number, const char* name, std::string& text) {
    if (!Takes(number, name, WireType::kLength)) return;
    if (IsUtf8(field_.bytes)) {
      text = field_.bytes;
    } else {
      Fail(name, "is not UTF-8");
    }
  }
  void Field(uint32_t number, const char* name, bool& value) {
    if (Takes(number, name, WireType::kVarint)) value = field_.scalar != 0;
  }
  // Longer numbers are truncated to 32 bits, as in protobuf.
  void Field(uint32_t number, const char* name, int32_t& value) {
    if (!Takes(number, name, WireType::kVarint)) return;
    value = static_cast<int32_t>(static_cast<uint32_t>(field_.scalar));
  }
  void Field(uint32_t number, const char* name, double& value) {
    if (Takes(number, name, WireType::kFixed64)) value = std::bit_cast<double>(field_.scalar);
  }
  template <typename T>
  void Field(uint32_t number, const char* name, std::optional<T>& value) {
    if (field_.number != number) return;
    if (!value) value.emplace();
    Field(number, name, *value);
  }
  template <typename T>
  void Field(uint32_t number, const char* name, std::vector<T>& items,
             size_t limit = std::numeric_limits<size_t>::max()) {
    if (field_.number != number) return;
    known_ = true;
    if (items.size() >= limit || tally_.elements >= tally_.max_elements) return FailFull(name);
    ++tally_.elements;
    Field(number, name, items.emplace_back());
  }
  template <typename T>
  void Field(uint32_t number, const char* name, T& message);

  // Keeps an embedded message as bytes. Occurrences are concatenated, which merges them in
  // protobuf.
  void Merged(uint32_t number, const char* name, std::string& bytes) {
    if (Takes(number, name, WireType::kLength)) bytes += field_.bytes;
  }

  bool known() const { return known_; }
  const absl::Status& status() const { return status_; }

 private:
  bool Takes(uint32_t number, const char* name, WireType type) {
    if (field_.number != number) return false;
    known_ = true;
    if (field_.type == type) return true;
    Fail(name, absl::StrCat("has wire type ", static_cast<int>(field_.type), ", not ",
                            static_cast<int>(type)));
    return false;
  }
  void Fail(const char* name, std::string_view what) {
    status_ =
        ProtocolError(absl::StrCat("protobuf: field ", name, " of ", message_, " ", ToAbsl(what)));
  }
  void FailFull(const char* name) {
    status_ = MakeError(
        absl::StatusCode::kResourceExhausted,
        absl::StrCat("protobuf: field ", name, " of ", message_, " has too many elements"),
        {.origin = connect::ErrorOrigin::kProtocol});
  }

  const ProtoField& field_;
  DecodeTally& tally_;
  const char* message_ = "";
  bool known_ = false;
  absl::Status status_;
};

// Gets the message name with which the list of T begins.
class NameOf {
 public:
  template <typename T>
  using Ref = const T&;

  void Message(const char* name) { name_ = name; }
  template <typename... Any>
  void Field(uint32_t, const char*, const Any&...) {}
  template <typename... Any>
  void Merged(uint32_t, const char*, const Any&...) {}
  const char* name() const { return name_; }

 private:
  const char* name_ = "";
};

template <typename T>
std::string EncodeMessage(const T& message) {
  MessageEncoder encoder;
  Describe(encoder, message);
  return std::move(encoder).message();
}

// Merges `bytes` into `message`.
template <typename T>
absl::Status DecodeMessage(std::string_view bytes, DecodeTally& tally, T& message) {
  ProtoReader reader(bytes);
  for (;;) {
    const absl::StatusOr<std::optional<ProtoField>> field = reader.Next();
    if (!field.ok()) {
      NameOf name;
      Describe(name, message);
      return Annotate(field.status(), name.name());
    }
    if (!field->has_value()) return absl::OkStatus();
    FieldDecoder decoder(**field, tally);
    Describe(decoder, message);
    if (!decoder.status().ok()) return decoder.status();
    if (!decoder.known()) ++tally.unknown_fields;
  }
}

template <typename T>
void FieldDecoder::Field(uint32_t number, const char* name, T& message) {
  if (!Takes(number, name, WireType::kLength)) return;
  status_ = DecodeMessage(field_.bytes, tally_, message);
}

}  // namespace cursorwire::wire

#endif  // CURSORWIRE_SRC_WIRE_MESSAGE_CODEC_H_
