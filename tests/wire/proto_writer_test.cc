#include "wire/proto_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "support/hex.h"
#include "support/status_matchers.h"
#include "wire/proto_reader.h"

namespace cursorwire::wire {
namespace {

using test::FromHex;
using test::IsOk;

TEST(ProtoWriter, WritesWhatProtocWrites) {
  ProtoWriter child;
  child.Varint(1, 3);
  child.Bytes(5, "\xC3\xA9");
  ProtoWriter writer;
  writer.Varint(1, 150);
  writer.Fixed32(3, 0xDEADBEEF);
  writer.Fixed64(4, 0x123456789ABCDEF0);
  writer.Bytes(5, "testing");
  writer.Bytes(6, child.message());
  writer.Bool(9, true);
  writer.Varint(10, static_cast<uint64_t>(int64_t{-2}));
  writer.Varint(536870911, 1);
  // Origin: protoc 3.21 --encode of a message of these fields.
  EXPECT_EQ(writer.message(), FromHex("08 96 01"
                                      "1D EF BE AD DE"
                                      "21 F0 DE BC 9A 78 56 34 12"
                                      "2A 07 74 65 73 74 69 6E 67"
                                      "32 06 08 03 2A 02 C3 A9"
                                      "48 01"
                                      "50 FE FF FF FF FF FF FF FF FF 01"
                                      "F8 FF FF FF 0F 01"));
}

TEST(ProtoWriter, WritesTheExamplesOfTheEncodingPage) {
  ProtoWriter test1;
  test1.Varint(1, 150);
  EXPECT_EQ(test1.message(), FromHex("08 96 01"));
  ProtoWriter test2;
  test2.Bytes(2, "testing");
  EXPECT_EQ(test2.message(), FromHex("12 07 74 65 73 74 69 6E 67"));
  ProtoWriter test3;
  test3.Bytes(3, test1.message());
  EXPECT_EQ(test3.message(), FromHex("1A 03 08 96 01"));
}

TEST(ProtoWriter, StartsEmptyAndWritesDefaultValues) {
  ProtoWriter writer;
  EXPECT_EQ(writer.message(), "");
  writer.Varint(1, 0);
  writer.Bool(2, false);
  writer.Fixed32(3, 0);
  writer.Fixed64(4, 0);
  writer.Bytes(7, "");
  EXPECT_EQ(writer.message(), FromHex("08 00  10 00  1D 00000000  21 0000000000000000  3A 00"));
}

TEST(ProtoWriter, WritesVarintsOfEachLength) {
  const struct {
    uint64_t value;
    std::string_view hex;
  } kCases[] = {
      {0, "00"},
      {127, "7F"},
      {128, "80 01"},
      {16383, "FF 7F"},
      {16384, "80 80 01"},
      {0xFFFFFFFF, "FF FF FF FF 0F"},
      {0x7FFFFFFFFFFFFFFF, "FF FF FF FF FF FF FF FF 7F"},
      {0x8000000000000000, "80 80 80 80 80 80 80 80 80 01"},
      {0xFFFFFFFFFFFFFFFF, "FF FF FF FF FF FF FF FF FF 01"},
  };
  for (const auto& c : kCases) {
    ProtoWriter writer;
    writer.Varint(1, c.value);
    EXPECT_EQ(writer.message(), FromHex("08") + FromHex(c.hex)) << c.value;
  }
}

TEST(ProtoWriter, WritesTagsOfEachLength) {
  const struct {
    uint32_t number;
    std::string_view tag;  // of a varint
  } kCases[] = {
      {1, "08"},       {15, "78"},         {16, "80 01"},
      {2047, "F8 7F"}, {2048, "80 80 01"}, {536870911, "F8 FF FF FF 0F"},
  };
  for (const auto& c : kCases) {
    ProtoWriter writer;
    writer.Varint(c.number, 1);
    EXPECT_EQ(writer.message(), FromHex(c.tag) + FromHex("01")) << c.number;
  }
}

TEST(ProtoWriter, WritesTheLengthOfLongBytes) {
  const std::string bytes(300, 'x');
  ProtoWriter writer;
  writer.Bytes(1, bytes);
  EXPECT_EQ(writer.message(), FromHex("0A AC 02") + bytes);
}

TEST(ProtoWriter, GivesItsMessageAway) {
  ProtoWriter writer;
  writer.Bytes(1, std::string(1000, 'x'));
  const char* const data = writer.message().data();
  const std::string message = std::move(writer).message();
  EXPECT_EQ(message.size(), 1003u);
  EXPECT_EQ(message.data(), data);
}

TEST(ProtoWriter, IsReadBackTheSame) {
  ProtoWriter writer;
  for (int shift = 0; shift < 64; ++shift) {
    const uint64_t value = std::numeric_limits<uint64_t>::max() >> shift;
    writer.Varint(1, value);
    writer.Fixed64(2, value);
    writer.Fixed32(3, static_cast<uint32_t>(value));
    writer.Bytes(4, std::string(static_cast<size_t>(shift) * 5, 'x'));
  }
  ProtoReader reader(writer.message());
  const auto next = [&]() -> ProtoField {
    const absl::StatusOr<std::optional<ProtoField>> field = reader.Next();
    EXPECT_THAT(field, IsOk());
    return field.ok() && field->has_value() ? **field : ProtoField{};
  };
  for (int shift = 0; shift < 64; ++shift) {
    const uint64_t value = std::numeric_limits<uint64_t>::max() >> shift;
    ProtoField field = next();
    EXPECT_EQ(field.number, 1u);
    EXPECT_EQ(field.type, WireType::kVarint);
    EXPECT_EQ(field.scalar, value);
    field = next();
    EXPECT_EQ(field.number, 2u);
    EXPECT_EQ(field.type, WireType::kFixed64);
    EXPECT_EQ(field.scalar, value);
    field = next();
    EXPECT_EQ(field.number, 3u);
    EXPECT_EQ(field.type, WireType::kFixed32);
    EXPECT_EQ(field.scalar, static_cast<uint32_t>(value));
    field = next();
    EXPECT_EQ(field.number, 4u);
    EXPECT_EQ(field.type, WireType::kLength);
    EXPECT_EQ(field.bytes, std::string(static_cast<size_t>(shift) * 5, 'x'));
  }
  const auto end = reader.Next();
  ASSERT_THAT(end, IsOk());
  EXPECT_FALSE(end->has_value());
}

}  // namespace
}  // namespace cursorwire::wire
