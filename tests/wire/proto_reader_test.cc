#include "wire/proto_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/connect/error_info.h"
#include "support/hex.h"
#include "support/status_matchers.h"

namespace cursorwire::wire {

bool operator==(const ProtoField& a, const ProtoField& b) {
  return a.number == b.number && a.type == b.type && a.scalar == b.scalar && a.bytes == b.bytes;
}
void PrintTo(const ProtoField& field, std::ostream* out) {
  *out << field.number << ":" << static_cast<int>(field.type) << ":" << field.scalar << ":"
       << ::testing::PrintToString(field.bytes);
}

namespace {

using connect::ErrorInfo;
using connect::ErrorOrigin;
using test::FromHex;
using test::IsOk;
using test::IsOkAndHolds;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::Optional;

ProtoField Number(uint32_t number, WireType type, uint64_t value) {
  return {.number = number, .type = type, .scalar = value};
}
ProtoField Bytes(uint32_t number, std::string_view bytes) {
  return {.number = number, .type = WireType::kLength, .bytes = bytes};
}

absl::StatusOr<std::vector<ProtoField>> ReadAll(std::string_view message) {
  ProtoReader reader(message);
  std::vector<ProtoField> fields;
  for (;;) {
    const absl::StatusOr<std::optional<ProtoField>> field = reader.Next();
    if (!field.ok()) return field.status();
    if (!field->has_value()) return fields;
    fields.push_back(**field);
  }
}

// Origin: protoc 3.21 --encode of one field of each wire type, u = 150, f32 = 0xDEADBEEF,
// f64 = 0x123456789ABCDEF0, s = "testing", child {u: 3, s: "é"}, packed = [3, 270, 86942],
// d = 1.5, b = true, i = -2, f = -0.5, and field 2^29-1 = 1.
constexpr std::string_view kEveryType =
    "08 96 01"
    "1D EF BE AD DE"
    "21 F0 DE BC 9A 78 56 34 12"
    "2A 07 74 65 73 74 69 6E 67"
    "32 06 08 03 2A 02 C3 A9"
    "3A 06 03 8E 02 9E A7 05"
    "41 00 00 00 00 00 00 F8 3F"
    "48 01"
    "50 FE FF FF FF FF FF FF FF FF 01"
    "5D 00 00 00 BF"
    "F8 FF FF FF 0F 01";

TEST(ProtoReader, ReadsEachWireType) {
  const std::string message = FromHex(kEveryType);
  const std::string child = FromHex("08 03 2A 02 C3 A9");
  const std::string packed = FromHex("03 8E 02 9E A7 05");
  EXPECT_THAT(
      ReadAll(message),
      IsOkAndHolds(ElementsAre(
          Number(1, WireType::kVarint, 150), Number(3, WireType::kFixed32, 0xDEADBEEF),
          Number(4, WireType::kFixed64, 0x123456789ABCDEF0), Bytes(5, "testing"), Bytes(6, child),
          Bytes(7, packed), Number(8, WireType::kFixed64, 0x3FF8000000000000),
          Number(9, WireType::kVarint, 1), Number(10, WireType::kVarint, 0xFFFFFFFFFFFFFFFE),
          Number(11, WireType::kFixed32, 0xBF000000), Number(536870911, WireType::kVarint, 1))));
}

TEST(ProtoReader, ReadsTheExamplesOfTheEncodingPage) {
  // Origin: protobuf "Encoding" page: Test1 {a: 150}, Test2 {b: "testing"}, Test3 {c {a: 150}}.
  const std::string inner = FromHex("08 96 01");
  EXPECT_THAT(ReadAll(FromHex("08 96 01")),
              IsOkAndHolds(ElementsAre(Number(1, WireType::kVarint, 150))));
  const std::string test2 = FromHex("12 07 74 65 73 74 69 6E 67");
  EXPECT_THAT(ReadAll(test2), IsOkAndHolds(ElementsAre(Bytes(2, "testing"))));
  const std::string test3 = FromHex("1A 03 08 96 01");
  EXPECT_THAT(ReadAll(test3), IsOkAndHolds(ElementsAre(Bytes(3, inner))));
}

TEST(ProtoReader, PointsIntoTheMessage) {
  const std::string message = FromHex("12 02 68 69");
  ProtoReader reader(message);
  const absl::StatusOr<std::optional<ProtoField>> field = reader.Next();
  ASSERT_THAT(field, IsOk());
  ASSERT_TRUE(field->has_value());
  EXPECT_EQ((*field)->bytes.data(), message.data() + 2);
}

TEST(ProtoReader, FindsNoFieldInAnEmptyMessage) {
  ProtoReader reader("");
  EXPECT_THAT(reader.Next(), IsOkAndHolds(Eq(std::nullopt)));
  EXPECT_THAT(reader.Next(), IsOkAndHolds(Eq(std::nullopt)));
}

TEST(ProtoReader, KeepsRepeatedAndEmptyFields) {
  const std::string message = FromHex("08 01  3A 00  08 00  3A 01 00");
  const std::string zero(1, '\0');
  EXPECT_THAT(ReadAll(message),
              IsOkAndHolds(ElementsAre(Number(1, WireType::kVarint, 1), Bytes(7, ""),
                                       Number(1, WireType::kVarint, 0), Bytes(7, zero))));
}

TEST(ProtoReader, ReadsVarintsOfEachLength) {
  const struct {
    const char* name;
    std::string_view hex;
    uint64_t value;
  } kCases[] = {
      {"0", "00", 0},
      {"1", "01", 1},
      {"127", "7F", 127},
      {"128", "80 01", 128},
      {"16383", "FF 7F", 16383},
      {"16384", "80 80 01", 16384},
      {"2^32-1", "FF FF FF FF 0F", 0xFFFFFFFF},
      {"2^32", "80 80 80 80 10", 0x100000000},
      {"2^63-1, nine bytes", "FF FF FF FF FF FF FF FF 7F", 0x7FFFFFFFFFFFFFFF},
      {"2^63, ten bytes", "80 80 80 80 80 80 80 80 80 01", 0x8000000000000000},
      // Origin: protoc --encode of 2^64-1.
      {"2^64-1, ten bytes", "FF FF FF FF FF FF FF FF FF 01", 0xFFFFFFFFFFFFFFFF},
      {"1 in three bytes", "81 80 00", 1},
      {"0 in ten bytes", "80 80 80 80 80 80 80 80 80 00", 0},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(ReadAll(FromHex("08") + FromHex(c.hex)),
                IsOkAndHolds(ElementsAre(Number(1, WireType::kVarint, c.value))));
  }
}

TEST(ProtoReader, RefusesBrokenMessages) {
  const struct {
    const char* name;
    std::string_view hex;
    const char* message;
  } kCases[] = {
      {"varint of eleven bytes", "08 80 80 80 80 80 80 80 80 80 80 01", "truncated field"},
      {"varint that never ends", "08 FF FF FF FF FF FF FF FF FF FF FF FF", "truncated field"},
      {"tenth byte of more than the 64th bit", "08 FF FF FF FF FF FF FF FF FF 02",
       "truncated field"},
      {"tenth byte with all bits", "08 FF FF FF FF FF FF FF FF FF 7F", "truncated field"},
      {"tenth byte of a length", "12 80 80 80 80 80 80 80 80 80 02", "truncated field"},
      {"length over the message", "12 03 61 62", "truncated field"},
      {"length of 2^64-1", "12 FF FF FF FF FF FF FF FF FF 01 61", "truncated field"},
      {"length of 2^63", "12 80 80 80 80 80 80 80 80 80 01 61", "truncated field"},
      {"length of 2^32", "12 80 80 80 80 10 61", "truncated field"},
      {"field number 0", "00 01", "field number out of range"},
      {"field number 0 as bytes", "02 01 61", "field number out of range"},
      {"field number 2^29", "80 80 80 80 10 01", "field number out of range"},
      {"field number 2^32, 0 in 32 bits", "80 80 80 80 80 80 01 01", "field number out of range"},
      {"field number 2^32+1, 1 in 32 bits", "88 80 80 80 80 80 01 01", "field number out of range"},
      {"largest tag", "F8 FF FF FF FF FF FF FF FF 01 01", "field number out of range"},
      {"tag over 64 bits", "88 80 80 80 80 80 80 80 80 02 01", "broken tag"},
      {"tag of eleven bytes", "88 80 80 80 80 80 80 80 80 80 00 01", "broken tag"},
      {"start of a group", "0B 0C", "unsupported wire type"},
      {"end of a group", "0C", "unsupported wire type"},
      {"wire type 6", "0E 00", "unsupported wire type"},
      {"wire type 7", "0F 00", "unsupported wire type"},
      {"broken after a good field", "08 01 0F", "unsupported wire type"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const std::string message = FromHex(c.hex);
    const absl::Status error = ReadAll(message).status();
    EXPECT_THAT(error, StatusIs(absl::StatusCode::kInternal, HasSubstr(c.message)));
    EXPECT_THAT(error, StatusIs(absl::StatusCode::kInternal,
                                HasSubstr(" of " + std::to_string(message.size()))));
    EXPECT_THAT(connect::GetErrorInfo(error),
                Optional(ErrorInfo{.origin = ErrorOrigin::kProtocol}));
  }
}

TEST(ProtoReader, RefusesAMessageCutInsideAnyField) {
  const std::string message = FromHex(kEveryType);
  // Where each field ends; cut there, the message is a shorter good one.
  const std::vector<size_t> ends = {0, 3, 8, 17, 26, 34, 42, 51, 53, 64, 69};
  size_t whole_fields = 0;
  for (size_t size = 0; size < message.size(); ++size) {
    SCOPED_TRACE("cut to " + std::to_string(size) + " bytes");
    // A copy of its own, so that a read past the end is seen by a sanitizer.
    const std::vector<char> cut(message.begin(), message.begin() + static_cast<ptrdiff_t>(size));
    const auto fields = ReadAll(std::string_view(cut.data(), cut.size()));
    if (whole_fields < ends.size() && ends[whole_fields] == size) {
      ASSERT_THAT(fields, IsOk());
      EXPECT_EQ(fields->size(), whole_fields);
      ++whole_fields;
    } else {
      EXPECT_THAT(fields, StatusIs(absl::StatusCode::kInternal));
    }
  }
  EXPECT_EQ(whole_fields, ends.size());
}

TEST(ProtoReader, StaysFailed) {
  ProtoReader reader("\x0F\x08\x01");
  const absl::Status error = reader.Next().status();
  EXPECT_THAT(error, StatusIs(absl::StatusCode::kInternal));
  EXPECT_EQ(reader.Next().status(), error);
  EXPECT_EQ(reader.Next().status(), error);
}

}  // namespace
}  // namespace cursorwire::wire
