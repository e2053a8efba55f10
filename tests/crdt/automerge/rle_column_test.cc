#include "crdt/automerge/rle_column.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "support/hex.h"

namespace cursorwire::automerge {
namespace {

using test::FromHex;
using Values = std::vector<std::optional<uint64_t>>;
constexpr std::nullopt_t kNull = std::nullopt;

// Source: docs/collab/automerge.md, "Columns".
struct Case {
  const char* name;
  Values values;
  const char* hex;
} const kCases[] = {
    {"one value", {7}, "7f 07"},
    {"a run", {7, 7, 7}, "03 07"},
    {"literals", {1, 2, 3}, "7d 01 02 03"},
    {"a run, literals, a run", {1, 1, 2, 3, 3}, "02 01 7f 02 02 03"},
    {"literals end where a run begins", {1, 2, 2}, "7f 01 02 02"},
    {"nulls in front", {kNull, kNull, 5}, "00 02 7f 05"},
    {"nulls behind", {5, kNull}, "7f 05 00 01"},
    {"nulls between equal values", {5, kNull, 5}, "7f 05 00 01 7f 05"},
    {"nulls alone are no column", {kNull, kNull}, ""},
    {"nothing", {}, ""},
};

Values ReadAll(std::string_view bytes, size_t most) {
  Values values;
  RleReader<uint64_t> reader(bytes);
  while (!reader.at_end() && values.size() < most) values.push_back(reader.Next());
  EXPECT_FALSE(reader.failed());
  return values;
}

TEST(RleColumn, WritesTheOnlyCanonicalForm) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    RleWriter<uint64_t> writer;
    for (const auto& value : c.values) writer.Append(value);
    EXPECT_EQ(writer.Finish(), FromHex(c.hex));
    writer.Clear();
    writer.Append(9);
    EXPECT_EQ(writer.Finish(), FromHex("7f09")) << "after Clear()";
  }
}

TEST(RleColumn, ReadsWhatItWrites) {
  for (const Case& c : kCases) {
    if (std::string_view(c.hex).empty()) continue;
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ReadAll(FromHex(c.hex), 100), c.values);
  }
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    Values values;
    for (size_t i = 0; i < random() % 40; ++i) {
      const std::optional<uint64_t> value =
          random() % 4 == 0 ? std::nullopt : std::optional<uint64_t>(random() % 3 * 1000);
      values.insert(values.end(), 1 + random() % 3, value);
    }
    values.emplace_back(1);  // so that it is not all nulls
    RleWriter<uint64_t> writer;
    for (const auto& value : values) writer.Append(value);
    EXPECT_EQ(ReadAll(writer.Finish(), 1000), values);
  }
}

TEST(RleColumn, IsNullAfterItsEnd) {
  const std::string bytes = FromHex("7f 05");
  RleReader<uint64_t> reader(bytes);
  EXPECT_EQ(reader.Next(), 5u);
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(reader.Next(), std::nullopt);
  EXPECT_FALSE(reader.failed());
}

TEST(RleColumn, FailsOnWhatIsNone) {
  for (const char* hex : {"05", "7f", "00 00", "00", "7e 01", "80", "8080808080808080807f 01"}) {
    SCOPED_TRACE(hex);
    const std::string bytes = FromHex(hex);
    RleReader<uint64_t> reader(bytes);
    for (int i = 0; i < 10 && !reader.failed(); ++i) reader.Next();
    EXPECT_TRUE(reader.failed());
    EXPECT_TRUE(reader.at_end());
  }
}

TEST(RleColumn, ClaimsOfManyRowsCostNothing) {
  const std::string bytes = FromHex("ffffffffffffffffff00 07");  // 2^63 - 1 times 7
  RleReader<uint64_t> reader(bytes);
  EXPECT_EQ(reader.Next(), 7u);
  EXPECT_FALSE(reader.at_end());
}

TEST(RleColumn, HasStringsToo) {
  RleWriter<std::string_view> writer;
  for (const char* text : {"a", "a", "", "longer"}) writer.Append(std::string_view(text));
  const std::string bytes(writer.Finish());
  EXPECT_EQ(bytes, FromHex("02 01 61 7e 00 06 6c6f6e676572"));
  RleReader<std::string_view> reader(bytes);
  for (const char* text : {"a", "a", "", "longer"}) EXPECT_EQ(reader.Next(), text);
}

TEST(DeltaColumn, KeepsDifferencesAcrossNulls) {
  DeltaWriter writer;
  for (const std::optional<int64_t> value :
       std::vector<std::optional<int64_t>>{3, 4, kNull, 5, 2}) {
    writer.Append(value);
  }
  const std::string bytes(writer.Finish());
  EXPECT_EQ(bytes, FromHex("7e 03 01 00 01 7e 01 7d"));
  DeltaReader reader(bytes);
  for (const std::optional<int64_t> value :
       std::vector<std::optional<int64_t>>{3, 4, kNull, 5, 2}) {
    EXPECT_EQ(reader.Next(), value);
  }
  EXPECT_TRUE(reader.at_end());
}

TEST(BooleanColumn, BeginsWithFalse) {
  struct BooleanCase {
    std::vector<bool> values;
    const char* hex;
  } const cases[] = {{{false, false}, "02"},
                     {{true}, "00 01"},
                     {{false, true, true, false}, "01 02 01"},
                     {{}, ""}};
  for (const BooleanCase& c : cases) {
    SCOPED_TRACE(c.hex);
    BooleanWriter writer;
    for (const bool value : c.values) writer.Append(value);
    const std::string bytes(writer.Finish());
    EXPECT_EQ(bytes, FromHex(c.hex));
    BooleanReader reader(bytes);
    for (const bool value : c.values) EXPECT_EQ(reader.Next(), value);
    EXPECT_TRUE(reader.at_end());
    EXPECT_FALSE(reader.Next()) << "after its end";
    EXPECT_FALSE(reader.failed());
  }
}

TEST(BooleanColumn, RefusesAnEmptyRunWithin) {
  const std::string bytes = FromHex("01 00 01");
  BooleanReader reader(bytes);
  for (int i = 0; i < 4; ++i) reader.Next();
  EXPECT_TRUE(reader.failed());
}

}  // namespace
}  // namespace cursorwire::automerge
