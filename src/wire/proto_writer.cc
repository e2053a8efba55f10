#include "wire/proto_writer.h"

namespace cursorwire::wire {

void ProtoWriter::Varint(uint32_t number, uint64_t value) {
  Tag(number, 0);
  RawVarint(value);
}

void ProtoWriter::Fixed32(uint32_t number, uint32_t value) {
  Tag(number, 5);
  RawFixed(value, 4);
}

void ProtoWriter::Fixed64(uint32_t number, uint64_t value) {
  Tag(number, 1);
  RawFixed(value, 8);
}

void ProtoWriter::Bytes(uint32_t number, std::string_view value) {
  Tag(number, 2);
  RawVarint(value.size());
  message_.append(value);
}

void ProtoWriter::Tag(uint32_t number, uint32_t wire_type) {
  RawVarint(uint64_t{number} << 3 | wire_type);
}

void ProtoWriter::RawVarint(uint64_t value) {
  while (value >= 0x80) {
    message_.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  message_.push_back(static_cast<char>(value));
}

void ProtoWriter::RawFixed(uint64_t value, int size) {
  for (int i = 0; i < size; ++i) message_.push_back(static_cast<char>(value >> (8 * i)));
}

}  // namespace cursorwire::wire
