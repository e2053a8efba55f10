#include "crdt/yjs/update.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "crdt/bytes/byte_writer.h"
#include "crdt/yjs/primitives.h"
#include "crdt/yjs/support/damage.h"
#include "crdt/yjs/support/yjs_goldens.h"
#include "support/hex.h"
#include "support/status_matchers.h"

namespace cursorwire::yjs {
namespace {

using absl::StatusCode;
using test::FromHex;
using test::IsOk;
using test::StatusIs;
using test::YjsGolden;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<std::string> YjsGoldenUpdates() {
  std::vector<std::string> all;
  for (const YjsGolden& golden : test::ReadYjsGoldens().All()) {
    all.insert(all.end(), golden.updates.begin(), golden.updates.end());
    all.push_back(golden.full_update);
  }
  return all;
}

// Those of the named cases, in which everything occurs, and of a few histories.
std::vector<std::string> YjsFewUpdates() {
  const test::YjsGoldens goldens = test::ReadYjsGoldens();
  std::vector<std::string> few;
  for (const YjsGolden& golden : goldens.named) {
    few.insert(few.end(), golden.updates.begin(), golden.updates.end());
    few.push_back(golden.full_update);
  }
  for (size_t i = 0; i < goldens.histories.size(); i += 20) {
    few.push_back(goldens.histories[i].full_update);
  }
  // A GC and a Skip struct, and deletes of two clients.
  few.push_back(FromHex("01 03 07 00 00 05 0a 0a 84 07 04 01 61 02 07 01 00 02 03 02 00 01 05 02"));
  return few;
}

// One client, 7, with these structs from clock 0 on, and no deletes.
std::string YjsUpdateOf(uint64_t count, std::string_view structs) {
  std::string bytes = FromHex("01");
  crdt::AppendUint(bytes, count);
  return bytes + FromHex("07 00") + FromHex(structs) + FromHex("00");
}

absl::Status YjsReadOne(std::string_view hex) { return ReadUpdate(YjsUpdateOf(1, hex)).status(); }

TEST(YjsUpdate, IsWrittenAsItWasRead) {
  const std::vector<std::string> updates = YjsGoldenUpdates();
  EXPECT_GT(updates.size(), 2000u);
  for (const std::string& bytes : updates) {
    const absl::StatusOr<Update> update = ReadUpdate(bytes);
    ASSERT_THAT(update, IsOk());
    EXPECT_EQ(WriteUpdate(*update), bytes);
  }
}

TEST(YjsUpdate, ReadsAnInsert) {
  const std::string bytes = test::ReadYjsGoldens().Named("insert one char").full_update;
  const absl::StatusOr<Update> update = ReadUpdate(bytes);
  ASSERT_THAT(update, IsOk());
  ASSERT_EQ(update->clients.size(), 1u);
  EXPECT_EQ(update->clients[0].client, 1u);
  EXPECT_EQ(update->clients[0].clock, 0u);
  ASSERT_EQ(update->clients[0].structs.size(), 1u);
  const Struct& item = update->clients[0].structs[0];
  EXPECT_EQ(item.kind, StructKind::kItem);
  EXPECT_EQ(item.id, (Id{.client = 1, .clock = 0}));
  EXPECT_EQ(item.length, 1u);
  EXPECT_FALSE(item.origin);
  EXPECT_FALSE(item.right_origin);
  ASSERT_TRUE(std::holds_alternative<RootName>(item.parent));
  EXPECT_EQ(std::get<RootName>(item.parent).name, "t");
  EXPECT_FALSE(item.key);
  EXPECT_EQ(item.content.kind, ContentKind::kString);
  EXPECT_EQ(item.content.bytes, "a");
  EXPECT_TRUE(update->deletes.empty());
}

TEST(YjsUpdate, ReadsOriginsAndDeletes) {
  const std::string bytes = FromHex("01 01 07 05 c4 08 03 09 02 03 616263 01 07 02 00 01 03 02");
  const absl::StatusOr<Update> update = ReadUpdate(bytes);
  ASSERT_THAT(update, IsOk());
  const Struct& item = update->clients[0].structs[0];
  EXPECT_EQ(item.id, (Id{.client = 7, .clock = 5}));
  EXPECT_EQ(item.origin, (Id{.client = 8, .clock = 3}));
  EXPECT_EQ(item.right_origin, (Id{.client = 9, .clock = 2}));
  EXPECT_TRUE(std::holds_alternative<std::monostate>(item.parent));
  ASSERT_EQ(update->deletes.size(), 1u);
  EXPECT_EQ(update->deletes[0].client, 7u);
  EXPECT_THAT(update->deletes[0].ranges, testing::ElementsAre(ClockRange{.clock = 0, .length = 1},
                                                              ClockRange{.clock = 3, .length = 2}));
}

TEST(YjsUpdate, KeepsClientIdsAbove2To31) {
  size_t high = 0;
  for (const YjsGolden& golden : test::ReadYjsGoldens().histories) {
    const absl::StatusOr<Update> update = ReadUpdate(golden.full_update);
    ASSERT_THAT(update, IsOk());
    for (const ClientStructs& client : update->clients) {
      EXPECT_THAT(golden.clients, testing::Contains(client.client));
      if (client.client > uint64_t{1} << 31) ++high;
    }
  }
  EXPECT_GT(high, 0u);
  const std::string highest = FromHex("01 01 ffffffffffffff0f 00 04 01 01 74 01 61 00");
  const absl::StatusOr<Update> update = ReadUpdate(highest);
  ASSERT_THAT(update, IsOk());
  EXPECT_EQ(update->clients[0].client, kHighestNumber);
  EXPECT_EQ(WriteUpdate(*update), highest);
}

TEST(YjsUpdate, SkipAndGarbageTakeTheirClocks) {
  const std::string bytes = YjsUpdateOf(4, "0a 05 00 03 0a 8001 84 07 07 01 61");
  const absl::StatusOr<Update> update = ReadUpdate(bytes);
  ASSERT_THAT(update, IsOk());
  const std::vector<Struct>& structs = update->clients[0].structs;
  EXPECT_EQ(structs[0].kind, StructKind::kSkip);
  EXPECT_EQ(structs[0].length, 5u);
  EXPECT_EQ(structs[1].kind, StructKind::kGarbage);
  EXPECT_EQ(structs[1].id.clock, 5u);
  EXPECT_EQ(structs[2].kind, StructKind::kSkip);
  EXPECT_EQ(structs[2].id.clock, 8u);
  EXPECT_EQ(structs[3].kind, StructKind::kItem);
  EXPECT_EQ(structs[3].id.clock, 136u);
  EXPECT_EQ(WriteUpdate(*update), bytes);
}

TEST(YjsUpdate, ARootNameMayBeAPath) {
  const YjsGolden golden = test::ReadYjsGoldens().Named("path as root name with non-ASCII");
  const absl::StatusOr<Update> update = ReadUpdate(golden.updates[0]);
  ASSERT_THAT(update, IsOk());
  EXPECT_EQ(std::get<RootName>(update->clients[0].structs[0].parent).name, "demo/src/\xc3\xa4.js");
}

TEST(YjsUpdate, APairOfSurrogatesIsTwoUnits) {
  const YjsGolden golden =
      test::ReadYjsGoldens().Named("split inside a surrogate pair: both halves become U+FFFD");
  const absl::StatusOr<Update> update = ReadUpdate(golden.updates[0]);
  ASSERT_THAT(update, IsOk());
  const Struct& item = update->clients[0].structs[0];
  EXPECT_EQ(item.length, 4u);
  // The full update has what a cut makes of it.
  const absl::StatusOr<Update> full = ReadUpdate(golden.full_update);
  ASSERT_THAT(full, IsOk());
  const auto halves = CutContent(item.content, 2);
  EXPECT_EQ(full->clients[0].structs[0].content.bytes, halves.first.bytes);
  EXPECT_EQ(full->clients[0].structs[1].content.bytes, halves.second.bytes);
}

// Such items have the flag of a key, but not the key.
TEST(YjsUpdate, AnEntryOfAMapThatNamesANeighbourHasNoKey) {
  const std::string first = YjsUpdateOf(1, "28 01 01 6d 01 6b 01 7d01");
  const absl::StatusOr<Update> with_key = ReadUpdate(first);
  ASSERT_THAT(with_key, IsOk());
  EXPECT_EQ(with_key->clients[0].structs[0].key, "k");
  EXPECT_TRUE(with_key->clients[0].structs[0].has_key);

  const std::string second = YjsUpdateOf(1, "a8 07 03 01 7d02");
  absl::StatusOr<Update> without_key = ReadUpdate(second);
  ASSERT_THAT(without_key, IsOk());
  Struct& item = without_key->clients[0].structs[0];
  EXPECT_EQ(item.key, std::nullopt);
  EXPECT_TRUE(item.has_key);
  EXPECT_EQ(WriteUpdate(*without_key), second);
  item.key = "k";  // as a document knows it in the end
  EXPECT_EQ(WriteUpdate(*without_key), second);
}

TEST(YjsUpdate, AParentMayBeAnItem) {
  const std::string bytes = YjsUpdateOf(1, "04 00 08 8001 01 61");
  const absl::StatusOr<Update> update = ReadUpdate(bytes);
  ASSERT_THAT(update, IsOk());
  EXPECT_EQ(std::get<Id>(update->clients[0].structs[0].parent), (Id{.client = 8, .clock = 128}));
  EXPECT_EQ(WriteUpdate(*update), bytes);
}

TEST(YjsUpdate, OneClientMayComeTwiceAndInAnyOrder) {
  const std::string bytes =
      FromHex("03 01 07 00 00 01 01 09 00 00 01 01 07 01 00 02 02 07 01 00 01 07 01 01 01");
  const absl::StatusOr<Update> update = ReadUpdate(bytes);
  ASSERT_THAT(update, IsOk());
  EXPECT_EQ(update->clients.size(), 3u);
  EXPECT_EQ(update->deletes.size(), 2u);
  EXPECT_EQ(WriteUpdate(*update), bytes);
}

TEST(YjsUpdate, RefusesEveryCut) {
  for (const std::string& bytes : YjsGoldenUpdates()) {
    test::CutAtEachByte(bytes, [](const std::string& cut) {
      EXPECT_THAT(ReadUpdate(cut), StatusIs(StatusCode::kInvalidArgument));
    });
  }
}

TEST(YjsUpdate, WithAnyByteChangedIsRefusedOrWrittenAsRead) {
  size_t read = 0;
  for (const std::string& bytes : YjsFewUpdates()) {
    test::ChangeEachByte(bytes, [&read](const std::string& changed) {
      const absl::StatusOr<Update> update = ReadUpdate(changed);
      if (!update.ok()) return;
      ++read;
      EXPECT_EQ(WriteUpdate(*update), changed);
    });
  }
  EXPECT_GT(read, 1000u);
}

TEST(YjsUpdate, RefusesWhatFollowsItsEnd) {
  EXPECT_THAT(ReadUpdate(FromHex("0000")), IsOk());
  EXPECT_THAT(ReadUpdate(FromHex("000000")),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("at byte 2: the end")));
  EXPECT_THAT(ReadUpdate(""), StatusIs(StatusCode::kInvalidArgument));
}

TEST(YjsUpdate, SaysWhatItRefusesAndWhere) {
  EXPECT_THAT(ReadUpdate(YjsUpdateOf(2, "00 05 0b 01")),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("kind of content"), HasSubstr("at byte 6"),
                             HasSubstr("a struct of client 7, clock 5"))));
  EXPECT_THAT(ReadUpdate(FromHex("00 01 07 01 09 00")),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("length of 0"), HasSubstr("at byte 4"),
                             HasSubstr("a deleted range of client 7, clock 9"))));
}

TEST(YjsUpdate, RefusesWhatDoesNotFollowTheFormat) {
  for (int kind = 11; kind < 32; ++kind) {
    std::string update = YjsUpdateOf(1, "84 07 00 01 61");
    update[4] = static_cast<char>(0x80 | kind);
    EXPECT_THAT(ReadUpdate(update), StatusIs(StatusCode::kInvalidArgument)) << kind;
  }
  EXPECT_THAT(YjsReadOne("80 01"), StatusIs(StatusCode::kInvalidArgument)) << "GC with a flag";
  EXPECT_THAT(YjsReadOne("2a 01"), StatusIs(StatusCode::kInvalidArgument)) << "Skip with a flag";
  EXPECT_THAT(YjsReadOne("04 02 01 74 01 61"), StatusIs(StatusCode::kInvalidArgument)) << "parent";
  EXPECT_THAT(YjsReadOne("04 01 01 ff 01 61"), StatusIs(StatusCode::kInvalidArgument)) << "name";
  EXPECT_THAT(YjsReadOne("24 01 01 74 01 ff 01 61"), StatusIs(StatusCode::kInvalidArgument))
      << "key";
  EXPECT_THAT(YjsReadOne("84 07 00 02 61"), StatusIs(StatusCode::kInvalidArgument))
      << "a string length that lies";
}

TEST(YjsUpdate, RefusesStructsOfLengthZero) {
  for (const char* const item : {"00 00", "0a 00", "81 07 00 00", "84 07 00 00", "88 07 00 00"}) {
    EXPECT_THAT(YjsReadOne(item), StatusIs(StatusCode::kInvalidArgument)) << item;
  }
}

TEST(YjsUpdate, RefusesClocksAbove2To53) {
  const std::string highest = "ffffffffffffff0f";
  EXPECT_THAT(YjsReadOne("00" + highest), IsOk());
  EXPECT_THAT(YjsReadOne("00 8080808080808010"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(ReadUpdate(YjsUpdateOf(2, "00" + highest + "00 01")), IsOk());
  EXPECT_THAT(ReadUpdate(YjsUpdateOf(2, "00" + highest + "00 02")),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("2^53")));
  EXPECT_THAT(ReadUpdate(YjsUpdateOf(3, "00" + highest + "00 01 00 01")),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("2^53")));
  EXPECT_THAT(ReadUpdate(FromHex("00 01 07 01" + highest + "01")), IsOk());
  EXPECT_THAT(ReadUpdate(FromHex("00 01 07 01" + highest + "02")),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("2^53")));
}

TEST(YjsUpdate, RefusesACountAboveItsBytesAtOnce) {
  const std::string count = "8080808080808002";  // 2^50
  for (const std::string& hex : {count + "00", "01" + count + "07 00 00 01 00", "00" + count,
                                 "00 01 07" + count + "00 01"}) {
    EXPECT_THAT(ReadUpdate(FromHex(hex)),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr("a count above")))
        << hex;
  }
}

TEST(YjsUpdate, RefusesTooManyStructs) {
  const auto update_of = [](uint64_t count) {
    std::string bytes = FromHex("01");
    crdt::AppendUint(bytes, count);
    bytes += FromHex("07 00");
    for (uint64_t i = 0; i < count; ++i) bytes += FromHex("00 01").substr(0, 2);
    return bytes + '\0';
  };
  EXPECT_THAT(ReadUpdate(update_of(kMaxStructs)), IsOk());
  EXPECT_THAT(ReadUpdate(update_of(kMaxStructs + 1)), StatusIs(StatusCode::kResourceExhausted));
}

TEST(YjsStateVector, IsWrittenAsItWasRead) {
  for (const YjsGolden& golden : test::ReadYjsGoldens().All()) {
    const absl::StatusOr<StateVector> clocks = ReadStateVector(golden.state_vector);
    ASSERT_THAT(clocks, IsOk());
    EXPECT_EQ(WriteStateVector(*clocks), golden.state_vector);
    for (size_t i = 1; i < clocks->size(); ++i) {
      EXPECT_GT((*clocks)[i - 1].client, (*clocks)[i].client) << "higher clients come first";
    }
    test::CutAtEachByte(golden.state_vector, [](const std::string& cut) {
      EXPECT_THAT(ReadStateVector(cut), StatusIs(StatusCode::kInvalidArgument));
    });
  }
  EXPECT_THAT(ReadStateVector(FromHex("01 07 05")),
              test::IsOkAndHolds(testing::ElementsAre(Id{.client = 7, .clock = 5})));
}

TEST(YjsStateVector, HasBoundedlyManyClients) {
  StateVector clocks(kMaxStateClients, Id{.client = 1, .clock = 0});
  EXPECT_TRUE(ReadStateVector(WriteStateVector(clocks)).ok());
  clocks.emplace_back();
  EXPECT_THAT(ReadStateVector(WriteStateVector(clocks)), StatusIs(StatusCode::kResourceExhausted));
}

TEST(YjsStateVector, RefusesWhatDoesNotFollowTheFormat) {
  EXPECT_THAT(ReadStateVector(FromHex("00 00")), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(ReadStateVector(FromHex("8080808080808002 07 05")),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(ReadStateVector(FromHex("01 07 8080808080808010")),
              StatusIs(StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace cursorwire::yjs
