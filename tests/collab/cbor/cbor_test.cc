#include "collab/cbor/cbor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "support/hex.h"
#include "support/status_matchers.h"

namespace cursorwire::collab {
namespace {

using absl::StatusCode;
using test::FromHex;
using test::IsOk;
using test::StatusIs;
using Bytes = CborValue::Bytes;

CborValue Map(const char* key, CborValue value) {
  CborValue::Map map;
  map.emplace_back(CborValue(key), std::move(value));
  return CborValue(std::move(map));
}
CborValue Array(CborValue value) {
  CborValue::Array array;
  array.push_back(std::move(value));
  return CborValue(std::move(array));
}

// RFC 8949, appendix A, and what JavaScript's peers write.
struct Golden {
  const char* name;
  const char* hex;
  CborValue value;
  const char* written = nullptr;  // as it is written, where that is shorter
} const kGoldens[] = {
    {"zero", "00", CborValue(int64_t{0})},
    {"one byte", "18 64", CborValue(int64_t{100})},
    {"two bytes", "19 03e8", CborValue(int64_t{1000})},
    {"four bytes", "1a 000f4240", CborValue(int64_t{1000000})},
    {"more than needed", "1b 0000000000000001", CborValue(int64_t{1}), "01"},
    {"negative", "38 63", CborValue(int64_t{-100})},
    {"the least", "3b 7fffffffffffffff", CborValue(std::numeric_limits<int64_t>::min()),
     "fb c3e0000000000000"},
    {"a time of JavaScript", "fb 4279b76daa800000", CborValue(1767225600000.0)},
    {"above 2^63", "1b ffffffffffffffff", CborValue(18446744073709551616.0), "fb 43f0000000000000"},
    {"half", "f9 3c00", CborValue(1.0), "fb 3ff0000000000000"},
    {"single", "fa 47c35000", CborValue(100000.0), "fb 40f86a0000000000"},
    {"false", "f4", CborValue(false)},
    {"true", "f5", CborValue(true)},
    {"null", "f6", CborValue(CborValue::Null())},
    {"undefined", "f7", CborValue()},
    {"text", "64 f09f9880", CborValue("\xf0\x9f\x98\x80")},
    {"text of a longer head", "78 01 61", CborValue("a"), "61 61"},
    {"text in pieces", "7f 62 6162 61 63 ff", CborValue("abc"), "63 616263"},
    {"bytes", "43 010203", CborValue(Bytes{"\x01\x02\x03"})},
    {"bytes in pieces", "5f 41 01 42 0203 ff", CborValue(Bytes{"\x01\x02\x03"}), "43 010203"},
    {"an array", "81 01", Array(CborValue(int64_t{1}))},
    {"an array without a length", "9f 01 ff", Array(CborValue(int64_t{1})), "81 01"},
    {"an empty array", "80", CborValue(CborValue::Array())},
    {"a map", "a1 61 61 f5", Map("a", CborValue(true))},
    {"a map of cbor-x", "b9 0001 61 61 f5", Map("a", CborValue(true)), "a1 61 61 f5"},
    {"a map without a length", "bf 61 61 f5 ff", Map("a", CborValue(true)), "a1 61 61 f5"},
    {"a member that is undefined", "a1 61 61 f7", Map("a", CborValue()), "a0"},
    {"a tag", "c1 01", CborValue(int64_t{1}), "01"},
    {"tags within", "81 c1 d8 20 61 61", Array(CborValue("a")), "81 61 61"},
};

TEST(Cbor, ReadsAndWritesTheGoldens) {
  for (const Golden& c : kGoldens) {
    SCOPED_TRACE(c.name);
    const absl::StatusOr<CborValue> value = ReadCbor(FromHex(c.hex));
    ASSERT_THAT(value, IsOk());
    EXPECT_EQ(*value, c.value);
    EXPECT_EQ(WriteCbor(c.value), FromHex(c.written == nullptr ? c.hex : c.written));
  }
}

TEST(Cbor, RefusesEveryCut) {
  for (const Golden& c : kGoldens) {
    SCOPED_TRACE(c.name);
    const std::string bytes = FromHex(c.hex);
    for (size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_THAT(ReadCbor(std::string_view(bytes).substr(0, size)),
                  StatusIs(StatusCode::kInvalidArgument))
          << size;
    }
    EXPECT_THAT(ReadCbor(bytes + '\0'), StatusIs(StatusCode::kInvalidArgument))
        << "followed by more";
  }
}

TEST(Cbor, RefusesWhatIsNone) {
  for (const char* hex : {
           "1c",                     // a length of no known kind
           "ff",                     // a break without a start
           "81 ff",                  // instead of an element
           "bf 61 61 ff",            // a key without a value
           "61 ff",                  // no UTF-8
           "7f 61 c3 61 28 ff",      // no UTF-8 in pieces
           "7f 41 61 ff",            // bytes in a text
           "5f 01 ff",               // a number in bytes
           "9b ffffffffffffffff",    // an array of 2^64 - 1
           "5b 7fffffffffffffff 00"  // bytes of 2^63 - 1
       }) {
    SCOPED_TRACE(hex);
    EXPECT_THAT(ReadCbor(FromHex(hex)), StatusIs(StatusCode::kInvalidArgument));
  }
}

TEST(Cbor, HasLimits) {
  const auto nested = [](size_t depth) { return std::string(depth, '\x81') + '\x01'; };
  EXPECT_THAT(ReadCbor(nested(32)), IsOk());
  EXPECT_THAT(ReadCbor(nested(33)), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(ReadCbor(nested(1000000)), StatusIs(StatusCode::kResourceExhausted));
  const CborLimits few{.max_depth = 4, .max_items = 3};
  EXPECT_THAT(ReadCbor(FromHex("82 01 02"), few), IsOk());
  EXPECT_THAT(ReadCbor(FromHex("83 01 02 03"), few), StatusIs(StatusCode::kResourceExhausted));
}

TEST(CborValue, FindsTheLastOfAKey) {
  const absl::StatusOr<CborValue> value = ReadCbor(FromHex("a3 61 61 01 61 61 02 01 03"));
  ASSERT_THAT(value, IsOk());
  EXPECT_EQ(value->Find("a")->AsInteger(), 2);
  EXPECT_EQ(value->Find("b"), nullptr);
  EXPECT_EQ(CborValue("a").Find("a"), nullptr);
}

TEST(CborValue, HasWholeNumbersOfFloats) {
  EXPECT_EQ(CborValue(1767225600000.0).AsInteger(), 1767225600000);
  EXPECT_EQ(CborValue(-3.0).AsInteger(), -3);
  EXPECT_EQ(CborValue(1.5).AsInteger(), std::nullopt);
  EXPECT_EQ(CborValue(1e300).AsInteger(), std::nullopt);
  EXPECT_EQ(CborValue(std::numeric_limits<double>::quiet_NaN()).AsInteger(), std::nullopt);
  EXPECT_EQ(CborValue("1").AsInteger(), std::nullopt);
  EXPECT_EQ(CborValue(int64_t{4}).AsNumber(), 4.0);
}

}  // namespace
}  // namespace cursorwire::collab
