#include "crdt/yjs/relative_position.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "crdt/yjs/support/damage.h"
#include "crdt/yjs/support/yjs_goldens.h"
#include "support/hex.h"
#include "support/status_matchers.h"

namespace cursorwire::yjs {
namespace {

using absl::StatusCode;
using test::FromHex;
using test::IsOkAndHolds;
using test::StatusIs;

struct YjsPositionCase {
  const char* hex;
  RelativePosition position;
};

const YjsPositionCase kYjsPositions[] = {
    {"00 07 00 00", {.item = Id{.client = 7, .clock = 0}}},
    {"00 ffffffff0f 8001 41", {.item = Id{.client = 0xffffffff, .clock = 128}, .assoc = -1}},
    {"01 01 74 00", {.root_name = "t"}},
    {"01 0a 646d6f2f c3a42e6a73 01 00", {.root_name = "dmo/\xc3\xa4.js\x01"}},
    {"02 07 03 bf01", {.type = Id{.client = 7, .clock = 3}, .assoc = 127}},
};

TEST(YjsRelativePosition, IsWrittenAsItWasRead) {
  for (const YjsPositionCase& c : kYjsPositions) {
    SCOPED_TRACE(c.hex);
    EXPECT_THAT(ReadRelativePosition(FromHex(c.hex)), IsOkAndHolds(c.position));
    EXPECT_EQ(WriteRelativePosition(c.position), FromHex(c.hex));
  }
}

TEST(YjsRelativePosition, IsThatOfNpm) {
  const test::YjsGoldens goldens = test::ReadYjsGoldens();
  EXPECT_EQ(WriteRelativePosition({.item = Id{.client = 7, .clock = 0}}),
            goldens.Message("position_0"));
  EXPECT_EQ(WriteRelativePosition({.item = Id{.client = 7, .clock = 1}}),
            goldens.Message("position_1"));
  EXPECT_EQ(WriteRelativePosition({.root_name = "t"}), goldens.Message("position_2"));
}

TEST(YjsRelativePosition, MayLackTheAssociation) {
  EXPECT_THAT(ReadRelativePosition(FromHex("00 07 05")),
              IsOkAndHolds(RelativePosition{.item = Id{.client = 7, .clock = 5}}));
  EXPECT_THAT(ReadRelativePosition(FromHex("01 01 74")),
              IsOkAndHolds(RelativePosition{.root_name = "t"}));
}

// JSON has both.
TEST(YjsRelativePosition, OfAnItemIsWrittenWithoutTheText) {
  EXPECT_EQ(WriteRelativePosition({.item = Id{.client = 7, .clock = 1}, .root_name = "t"}),
            FromHex("00 07 01 00"));
  EXPECT_EQ(WriteRelativePosition({}), "");
}

TEST(YjsRelativePosition, RefusesEveryCutButThatOfTheAssociation) {
  for (const YjsPositionCase& c : kYjsPositions) {
    SCOPED_TRACE(c.hex);
    const std::string bytes = FromHex(c.hex);
    std::string without(
        WriteRelativePosition({c.position.item, c.position.root_name, c.position.type}));
    without.pop_back();
    test::CutAtEachByte(bytes, [&without](const std::string& cut) {
      EXPECT_EQ(ReadRelativePosition(cut).ok(), cut == without) << cut.size();
    });
  }
}

TEST(YjsRelativePosition, WithAnyByteChangedIsRefusedOrReadAgain) {
  for (const YjsPositionCase& c : kYjsPositions) {
    test::ChangeEachByte(FromHex(c.hex), [](const std::string& changed) {
      const absl::StatusOr<RelativePosition> position = ReadRelativePosition(changed);
      if (!position.ok()) return;
      EXPECT_THAT(ReadRelativePosition(WriteRelativePosition(*position)), IsOkAndHolds(*position));
    });
  }
}

TEST(YjsRelativePosition, RefusesWhatDoesNotFollowTheFormat) {
  for (const char* const hex :
       {"03 07 00 00", "00 07 00 00 00", "01 01 ff 00", "01 8080808080808002 74 00",
        "00 8080808080808010 00 00", "00 07 00 80", "00 07 00 8000"}) {
    EXPECT_THAT(ReadRelativePosition(FromHex(hex)), StatusIs(StatusCode::kInvalidArgument)) << hex;
  }
}

}  // namespace
}  // namespace cursorwire::yjs
