#include "crdt/bytes/byte_reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "crdt/bytes/byte_writer.h"
#include "support/hex.h"

namespace cursorwire::crdt {
namespace {

using test::FromHex;

TEST(ByteReader, ReadsNumbersInTheirShortestForm) {
  struct Case {
    const char* hex;
    uint64_t unsigned_value;
    int64_t signed_value;
  } const kCases[] = {
      {"00", 0, 0},         {"3f", 63, 63},
      {"40", 64, -64},      {"7f", 127, -1},
      {"8001", 128, 128},   {"c000", 0, 64},  // as an unsigned number, not the shortest form
      {"bf7f", 16319, -65}, {"ffffffff0f", 0xffffffff, 0xffffffff},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.hex);
    const std::string bytes = FromHex(c.hex);
    ByteReader as_unsigned(bytes);
    EXPECT_EQ(as_unsigned.TakeUint(), c.unsigned_value);
    EXPECT_EQ(as_unsigned.failed(), c.unsigned_value == 0 && bytes.size() > 1);
    ByteReader as_signed(bytes);
    EXPECT_EQ(as_signed.TakeInt(), c.signed_value);
    EXPECT_FALSE(as_signed.failed());
    EXPECT_TRUE(as_signed.empty());
  }
}

TEST(ByteReader, ReadsWhatIsWritten) {
  for (const uint64_t value :
       {uint64_t{0}, uint64_t{1}, uint64_t{127}, uint64_t{128}, uint64_t{1} << 35,
        uint64_t{1} << 62, uint64_t{1} << 63, std::numeric_limits<uint64_t>::max()}) {
    for (const uint64_t v : {value, value - 1, value + 1}) {
      SCOPED_TRACE(v);
      std::string bytes;
      AppendUint(bytes, v);
      ByteReader reader(bytes);
      EXPECT_EQ(reader.TakeUint(), v);
      const auto number = static_cast<int64_t>(v);
      bytes.clear();
      AppendInt(bytes, number);
      reader = ByteReader(bytes);
      EXPECT_EQ(reader.TakeInt(), number);
      EXPECT_FALSE(reader.failed());
      EXPECT_TRUE(reader.empty());
    }
  }
}

TEST(ByteReader, RefusesNumbersThatAreCutOrTooLong) {
  for (const char* hex : {"", "80", "ff", "8000", "8080808000", "ffffffffffffffffff02",
                          "8080808080808080808001", "ffffffffffffffffffff01"}) {
    SCOPED_TRACE(hex);
    const std::string bytes = FromHex(hex);
    ByteReader reader(bytes);
    EXPECT_EQ(reader.TakeUint(), 0u);
    EXPECT_TRUE(reader.failed());
    EXPECT_TRUE(reader.empty());
  }
  for (const char* hex : {"", "80", "8000", "ff7f", "ffff7f", "bf00", "80808080808080808001",
                          "8080808080808080808000"}) {
    SCOPED_TRACE(hex);
    const std::string bytes = FromHex(hex);
    ByteReader reader(bytes);
    EXPECT_EQ(reader.TakeInt(), 0);
    EXPECT_TRUE(reader.failed());
  }
}

TEST(ByteReader, GivesNothingAfterAFailure) {
  const std::string bytes = FromHex("05 61 62");
  ByteReader reader(bytes);
  EXPECT_EQ(reader.TakeString(), "");
  EXPECT_TRUE(reader.failed());
  EXPECT_EQ(reader.TakeByte(), 0);
  EXPECT_EQ(reader.Take(1), "");
  EXPECT_EQ(reader.rest(), "");
}

TEST(ByteReader, ReadsStringsAsViews) {
  std::string bytes;
  AppendString(bytes, "ab");
  AppendString(bytes, "");
  AppendString(bytes, std::string(200, 'x'));
  ByteReader reader(bytes);
  EXPECT_EQ(reader.TakeString(), "ab");
  EXPECT_EQ(reader.TakeString(), "");
  EXPECT_EQ(reader.TakeString(), std::string(200, 'x'));
  EXPECT_TRUE(reader.empty());
  EXPECT_FALSE(reader.failed());
}

}  // namespace
}  // namespace cursorwire::crdt
