#include "crdt/yjs/content.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <tuple>

#include "crdt/yjs/primitives.h"
#include "crdt/yjs/support/damage.h"
#include "support/hex.h"

namespace cursorwire::yjs {
namespace {

using crdt::ByteReader;
using test::FromHex;

struct YjsContentCase {
  const char* name;
  uint8_t kind;
  const char* hex;
  uint64_t length;
};

// docs/collab/yjs.md, "Updates".
constexpr YjsContentCase kYjsContents[] = {
    {"one deleted", 1, "01", 1},
    {"2^53-1 deleted", 1, "ffffffffffffff0f", kHighestNumber},
    {"JSON", 2, "03 01 31 09 756e646566696e6564 04 6e756c6c", 3},
    {"binary", 3, "03 00ff80", 1},
    {"empty binary", 3, "00", 1},
    {"string", 4, "03 616263", 3},
    {"string of other characters", 4, "09 c3a4 e4b896 f09f9880", 4},
    {"embed", 5, "02 7b7d", 1},
    {"format", 6, "04 626f6c64 04 74727565", 1},
    {"array", 7, "00", 1},
    {"map", 7, "01", 1},
    {"text", 7, "02", 1},
    {"XML element", 7, "03 01 70", 1},
    {"XML fragment", 7, "04", 1},
    {"XML hook", 7, "05 01 70", 1},
    {"XML text", 7, "06", 1},
    {"undefined, null, false, true", 8, "04 7f 7e 79 78", 4},
    {"integers", 8, "05 7d00 7d3f 7d40 7d8001 7dffffffffffffff1f", 5},
    {"floats and a bigint", 8, "03 7c3fc00000 7b3ff8000000000000 7a0000000000000001", 3},
    {"string and buffer", 8, "02 77 02 c3a4 74 02 ff00", 2},
    {"array and object", 8, "02 75 02 7d01 7500 76 01 01 6b 7600", 2},
    {"document", 9, "02 6162 76 01 01 61 78", 1},
};

// A whole content.
Content ReadYjsContent(uint8_t kind, std::string_view bytes) {
  ByteReader reader(bytes);
  Content content = TakeContent(reader, kind);
  return reader.failed() || !reader.empty() ? Content() : content;
}

bool IsYjsContent(uint8_t kind, std::string_view bytes) {
  return ReadYjsContent(kind, bytes).length != 0;
}

TEST(YjsContent, IsWrittenAsItWasRead) {
  for (const YjsContentCase& c : kYjsContents) {
    SCOPED_TRACE(c.name);
    const std::string bytes = FromHex(c.hex);
    const Content content = ReadYjsContent(c.kind, bytes);
    EXPECT_EQ(static_cast<uint8_t>(content.kind), c.kind);
    EXPECT_EQ(content.length, c.length);
    std::string written;
    AppendContent(written, content);
    EXPECT_EQ(written, bytes);
  }
}

TEST(YjsContent, LeavesWhatFollows) {
  for (const YjsContentCase& c : kYjsContents) {
    SCOPED_TRACE(c.name);
    const std::string bytes = FromHex(c.hex) + "rest";
    ByteReader reader(bytes);
    TakeContent(reader, c.kind);
    EXPECT_EQ(reader.rest(), "rest");
  }
}

TEST(YjsContent, RefusesEveryCut) {
  for (const YjsContentCase& c : kYjsContents) {
    SCOPED_TRACE(c.name);
    test::CutAtEachByte(FromHex(c.hex), [&c](const std::string& cut) {
      EXPECT_FALSE(IsYjsContent(c.kind, cut)) << cut.size();
    });
  }
}

TEST(YjsContent, WithAnyByteChangedIsRefusedOrWrittenAsRead) {
  for (const YjsContentCase& c : kYjsContents) {
    SCOPED_TRACE(c.name);
    test::ChangeEachByte(FromHex(c.hex), [&c](const std::string& changed) {
      const Content content = ReadYjsContent(c.kind, changed);
      if (content.length == 0) return;
      std::string written;
      AppendContent(written, content);
      EXPECT_EQ(written, changed);
    });
  }
}

TEST(YjsContent, RefusesKindsThatAreNotKnown) {
  for (int kind = 0; kind < 256; ++kind) {
    if (kind >= 1 && kind <= 9) continue;
    EXPECT_FALSE(IsYjsContent(static_cast<uint8_t>(kind), FromHex("01"))) << kind;
  }
  EXPECT_FALSE(IsYjsContent(7, FromHex("07"))) << "a type";
  EXPECT_FALSE(IsYjsContent(8, FromHex("01 73"))) << "any";
  EXPECT_FALSE(IsYjsContent(8, FromHex("01 80"))) << "any";
}

TEST(YjsContent, RefusesALengthOfZero) {
  for (const uint8_t kind : std::initializer_list<uint8_t>{1, 2, 4, 8}) {
    EXPECT_FALSE(IsYjsContent(kind, FromHex("00")));
  }
}

TEST(YjsContent, RefusesTextThatIsNotUtf8) {
  EXPECT_FALSE(IsYjsContent(4, FromHex("01 ff")));
  EXPECT_FALSE(IsYjsContent(4, FromHex("03 eda080"))) << "a surrogate";
  EXPECT_FALSE(IsYjsContent(2, FromHex("01 01 ff")));
  EXPECT_FALSE(IsYjsContent(5, FromHex("01 ff")));
  EXPECT_FALSE(IsYjsContent(6, FromHex("01 ff 01 31")));
  EXPECT_FALSE(IsYjsContent(6, FromHex("01 62 01 ff")));
  EXPECT_FALSE(IsYjsContent(7, FromHex("03 01 ff")));
  EXPECT_FALSE(IsYjsContent(8, FromHex("01 77 01 ff")));
  EXPECT_FALSE(IsYjsContent(8, FromHex("01 76 01 01 ff 7e")));
  EXPECT_FALSE(IsYjsContent(9, FromHex("01 ff 7e")));
}

TEST(YjsContent, RefusesNumbersOutOfRange) {
  EXPECT_FALSE(IsYjsContent(1, FromHex("8080808080808010"))) << "2^53";
  EXPECT_FALSE(IsYjsContent(1, FromHex("ffffffffffffffffff01"))) << "2^64-1";
  EXPECT_FALSE(IsYjsContent(1, FromHex("8100"))) << "not the shortest form";
  EXPECT_FALSE(IsYjsContent(8, FromHex("01 7d8000"))) << "not the shortest form";
  EXPECT_FALSE(IsYjsContent(8, FromHex("01 7d80808080808080 20"))) << "2^53";
}

TEST(YjsContent, RefusesACountAboveItsBytesAtOnce) {
  const std::string count = FromHex("8080808080808002");  // 2^50
  EXPECT_FALSE(IsYjsContent(2, count + "x"));
  EXPECT_FALSE(IsYjsContent(8, count + "x"));
  for (const char* const nested : {"01 75", "01 76"}) {
    EXPECT_FALSE(IsYjsContent(8, FromHex(nested) + count + "x"));
  }
  // Lengths that lie.
  EXPECT_FALSE(IsYjsContent(4, count + "x"));
  EXPECT_FALSE(IsYjsContent(3, count + "x"));
  EXPECT_FALSE(IsYjsContent(4, FromHex("04 616263")));
}

TEST(YjsContent, AnyIsNestedToABound) {
  const auto nested = [](int depth) {
    std::string bytes = FromHex("01");
    for (int i = 0; i < depth; ++i) bytes += FromHex("75 01");
    return bytes + FromHex("7e");
  };
  EXPECT_TRUE(IsYjsContent(8, nested(64)));
  EXPECT_FALSE(IsYjsContent(8, nested(65)));
  EXPECT_FALSE(IsYjsContent(8, nested(1000000)));
  std::string objects = FromHex("01");
  for (int i = 0; i < 65; ++i) objects += FromHex("76 01 00");
  EXPECT_FALSE(IsYjsContent(8, objects + FromHex("7e")));
}

TEST(YjsContent, StringsAreCutAtUtf16Units) {
  const Content text{.kind = ContentKind::kString, .length = 5, .bytes = "a\xc3\xa4\xe4\xb8\x96xy"};
  const auto [left, right] = CutContent(text, 3);
  EXPECT_EQ(left.bytes, "a\xc3\xa4\xe4\xb8\x96");
  EXPECT_EQ(left.length, 3u);
  EXPECT_EQ(right.bytes, "xy");
  EXPECT_EQ(right.length, 2u);
}

// As the golden case "split inside a surrogate pair" has it.
TEST(YjsContent, ACutSurrogatePairIsReplacedOnBothSides) {
  const Content text{.kind = ContentKind::kString, .length = 4, .bytes = "a\xf0\x9f\x98\x80z"};
  for (const auto& [units, left, right] :
       {std::tuple(1u, "a", "\xf0\x9f\x98\x80z"), std::tuple(2u, "a\xef\xbf\xbd", "\xef\xbf\xbdz"),
        std::tuple(3u, "a\xf0\x9f\x98\x80", "z")}) {
    const auto halves = CutContent(text, units);
    EXPECT_EQ(halves.first.bytes, left) << units;
    EXPECT_EQ(halves.second.bytes, right) << units;
    EXPECT_EQ(halves.first.length, units);
    EXPECT_EQ(halves.second.length, 4 - units);
  }
}

TEST(YjsContent, DeletedAndElementsAreCut) {
  const auto deleted = CutContent({.kind = ContentKind::kDeleted, .length = 10}, 4);
  EXPECT_EQ(deleted.first.length, 4u);
  EXPECT_EQ(deleted.second.length, 6u);
  EXPECT_EQ(deleted.first.bytes + deleted.second.bytes, "");

  const std::string any = FromHex("03 7d01 75027d027d03 7e");
  const auto elements = CutContent(ReadYjsContent(8, any), 2);
  EXPECT_EQ(elements.first.bytes, FromHex("7d01 75027d027d03"));
  EXPECT_EQ(elements.first.length, 2u);
  EXPECT_EQ(elements.second.bytes, FromHex("7e"));
  EXPECT_EQ(elements.second.length, 1u);

  const std::string json = FromHex("02 0131 026162");
  const auto values = CutContent(ReadYjsContent(2, json), 1);
  EXPECT_EQ(values.first.bytes, FromHex("0131"));
  EXPECT_EQ(values.second.bytes, FromHex("026162"));
}

TEST(YjsNumber, WithASignIsWrittenAsItWasRead) {
  constexpr int64_t kMost = static_cast<int64_t>(kHighestNumber);
  for (const int64_t value :
       {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{63}, int64_t{-63}, int64_t{64}, int64_t{-64},
        int64_t{8191}, int64_t{8192}, kMost, -kMost}) {
    std::string bytes;
    AppendSignedNumber(bytes, value);
    ByteReader reader(bytes);
    EXPECT_EQ(TakeSignedNumber(reader), value);
    EXPECT_TRUE(reader.empty());
    EXPECT_FALSE(reader.failed());
  }
  std::string bytes;
  AppendSignedNumber(bytes, -1);
  AppendSignedNumber(bytes, -64);
  EXPECT_EQ(bytes, FromHex("41 c001"));
}

}  // namespace
}  // namespace cursorwire::yjs
