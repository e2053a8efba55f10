#include "crdt/yjs/awareness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
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
using std::chrono::seconds;
using test::FromHex;
using test::IsOk;
using test::IsOkAndHolds;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using YjsTime = AwarenessStates::TimePoint;
using YjsEntries = std::vector<AwarenessEntry>;

constexpr YjsTime kYjsStart{std::chrono::hours(1)};
constexpr uint64_t kYjsOwn = 5;

std::vector<uint64_t> YjsGive(AwarenessStates& states, const YjsEntries& entries,
                              YjsTime now = kYjsStart) {
  return states.Apply(entries, now);
}

// The own entry that is to be sent; of client 0 if none is.
struct YjsSent {
  uint64_t client = 0;
  uint64_t clock = 0;
  std::string state{};
  friend bool operator==(const YjsSent&, const YjsSent&) = default;
};
YjsSent YjsTake(AwarenessStates& states, YjsTime now = kYjsStart) {
  const std::optional<std::string> bytes = states.TakeUpdate(now);
  if (!bytes) return {};
  const absl::StatusOr<YjsEntries> entries = ReadAwareness(*bytes);
  EXPECT_THAT(entries, IsOkAndHolds(SizeIs(1)));
  const AwarenessEntry& entry = entries->front();
  return {entry.client, entry.clock, std::string(entry.state)};
}

TEST(YjsAwareness, IsWrittenAsItWasRead) {
  const test::YjsGoldens goldens = test::ReadYjsGoldens();
  uint64_t clock = 0;
  for (const char* const name : {"awareness_set", "awareness_changed", "awareness_gone"}) {
    SCOPED_TRACE(name);
    const std::string bytes = goldens.Message(name);
    const absl::StatusOr<YjsEntries> entries = ReadAwareness(bytes);
    ASSERT_THAT(entries, IsOkAndHolds(SizeIs(1)));
    EXPECT_EQ(entries->front().client, 7u);
    EXPECT_EQ(entries->front().clock, ++clock);
    EXPECT_EQ(entries->front().state == kGoneState, clock == 3);
    EXPECT_EQ(WriteAwareness(*entries), bytes);
    test::CutAtEachByte(bytes, [](const std::string& cut) {
      EXPECT_THAT(ReadAwareness(cut), StatusIs(StatusCode::kInvalidArgument));
    });
    test::ChangeEachByte(bytes, [](const std::string& changed) {
      const absl::StatusOr<YjsEntries> read = ReadAwareness(changed);
      // One that is not UTF-8 is left out.
      if (read.ok() && !read->empty()) {
        EXPECT_EQ(WriteAwareness(*read), changed);
      }
    });
  }
}

TEST(YjsAwareness, LeavesOutEntriesThatAreTooLongOrNotUtf8) {
  const std::string longest(kMaxAwarenessStateBytes, 'x');
  const std::string too_long = longest + "x";
  const std::string bytes =
      WriteAwareness(YjsEntries{{1, 1, too_long}, {2, 1, longest}, {3, 1, "\xff"}, {4, 1, "{}"}});
  EXPECT_THAT(ReadAwareness(bytes),
              IsOkAndHolds(ElementsAre(AwarenessEntry{2, 1, longest}, AwarenessEntry{4, 1, "{}"})));
}

TEST(YjsAwareness, RefusesTooManyClientsAndFalseCounts) {
  const YjsEntries most(kMaxAwarenessClients, {.client = 1, .clock = 1, .state = ""});
  YjsEntries more = most;
  more.push_back(most.front());
  EXPECT_THAT(ReadAwareness(WriteAwareness(most)), IsOk());
  EXPECT_THAT(ReadAwareness(WriteAwareness(more)), StatusIs(StatusCode::kResourceExhausted));
  for (const char* const hex : {"8080808080808002 01 01 00", "01 01 01 8080808080808002 7b",
                                "01 01 01 00 00", "01 8080808080808010 01 00", ""}) {
    EXPECT_THAT(ReadAwareness(FromHex(hex)), StatusIs(StatusCode::kInvalidArgument)) << hex;
  }
}

TEST(YjsAwarenessStates, TheFirstOwnClockIsOneAndEachSetRaisesIt) {
  AwarenessStates states(kYjsOwn);
  EXPECT_EQ(states.TakeUpdate(kYjsStart), std::nullopt);
  EXPECT_EQ(states.deadline(), std::nullopt);
  states.SetOwn("{}");
  EXPECT_EQ(YjsTake(states), (YjsSent{kYjsOwn, 1, "{}"}));
  EXPECT_EQ(YjsTake(states), YjsSent{});
  states.SetOwn("{\"a\":1}");
  states.SetOwn("{\"a\":1}");
  EXPECT_EQ(YjsTake(states), (YjsSent{kYjsOwn, 3, "{\"a\":1}"}));
  EXPECT_THAT(states.All(), ElementsAre(AwarenessEntry{kYjsOwn, 3, "{\"a\":1}"}));
}

TEST(YjsAwarenessStates, TheOwnStateIsSentAgainAfter15Seconds) {
  AwarenessStates states(kYjsOwn);
  states.SetOwn("{}");
  YjsTake(states);
  EXPECT_EQ(states.deadline(), kYjsStart + seconds(15));
  EXPECT_THAT(states.OnDeadline(kYjsStart + seconds(14)), IsEmpty());
  EXPECT_EQ(YjsTake(states, kYjsStart + seconds(14)), YjsSent{});
  states.OnDeadline(kYjsStart + seconds(15));
  EXPECT_EQ(YjsTake(states, kYjsStart + seconds(15)), (YjsSent{kYjsOwn, 2, "{}"}));
  EXPECT_EQ(states.deadline(), kYjsStart + seconds(30));
}

TEST(YjsAwarenessStates, OthersAreForgottenAfter30Seconds) {
  AwarenessStates states(kYjsOwn);
  EXPECT_THAT(YjsGive(states, {{8, 1, "a"}, {9, 1, "b"}}), ElementsAre(8, 9));
  EXPECT_THAT(YjsGive(states, {{9, 2, "b"}}, kYjsStart + seconds(10)), IsEmpty()) << "the same";
  EXPECT_EQ(states.deadline(), kYjsStart + seconds(30));
  EXPECT_THAT(states.OnDeadline(kYjsStart + seconds(29)), IsEmpty());
  EXPECT_THAT(states.OnDeadline(kYjsStart + seconds(30)), ElementsAre(8));
  EXPECT_THAT(states.All(), ElementsAre(AwarenessEntry{9, 2, "b"}));
  EXPECT_EQ(states.deadline(), kYjsStart + seconds(40));
  EXPECT_THAT(states.OnDeadline(kYjsStart + seconds(40)), ElementsAre(9));
  EXPECT_EQ(states.deadline(), std::nullopt);
  // Only a newer entry brings one back.
  EXPECT_THAT(YjsGive(states, {{8, 1, "a"}}, kYjsStart + seconds(50)), IsEmpty());
  EXPECT_THAT(YjsGive(states, {{8, 2, "a"}}, kYjsStart + seconds(50)), ElementsAre(8));
}

TEST(YjsAwarenessStates, AFirstStateWithClockZeroIsIgnored) {
  AwarenessStates states(kYjsOwn);
  EXPECT_THAT(YjsGive(states, {{8, 0, "a"}}), IsEmpty());
  EXPECT_THAT(YjsGive(states, {{8, 0, "null"}}), IsEmpty());
  EXPECT_THAT(states.All(), IsEmpty());
  EXPECT_THAT(YjsGive(states, {{8, 1, "a"}}), ElementsAre(8));
}

TEST(YjsAwarenessStates, OnlyAHigherClockCountsOrAnEqualOneThatRemoves) {
  AwarenessStates states(kYjsOwn);
  EXPECT_THAT(YjsGive(states, {{8, 3, "a"}}), ElementsAre(8));
  EXPECT_THAT(YjsGive(states, {{8, 3, "b"}}), IsEmpty());
  EXPECT_THAT(YjsGive(states, {{8, 2, "null"}}), IsEmpty());
  EXPECT_THAT(states.All(), ElementsAre(AwarenessEntry{8, 3, "a"}));
  EXPECT_THAT(YjsGive(states, {{8, 3, "null"}}), ElementsAre(8));
  EXPECT_THAT(YjsGive(states, {{8, 3, "null"}}), IsEmpty()) << "gone already";
  EXPECT_THAT(states.All(), IsEmpty());
  EXPECT_THAT(YjsGive(states, {{8, 3, "a"}}), IsEmpty());
  EXPECT_THAT(YjsGive(states, {{8, 4, "b"}, {8, 5, "c"}}), ElementsAre(8));
  EXPECT_THAT(states.All(), ElementsAre(AwarenessEntry{8, 5, "c"}));
}

TEST(YjsAwarenessStates, WhoIsGoneBeforeHeCameStaysGone) {
  AwarenessStates states(kYjsOwn);
  EXPECT_THAT(YjsGive(states, {{8, 4, "null"}}), IsEmpty());
  EXPECT_THAT(YjsGive(states, {{8, 3, "a"}}), IsEmpty());
  EXPECT_THAT(states.All(), IsEmpty());
}

TEST(YjsAwarenessStates, TheOwnStateSurvivesAPeerThatRemovesIt) {
  AwarenessStates states(kYjsOwn);
  states.SetOwn("{}");
  YjsTake(states);
  EXPECT_THAT(YjsGive(states, {{kYjsOwn, 0, "null"}}), IsEmpty());
  EXPECT_EQ(YjsTake(states), YjsSent{}) << "an older one";
  YjsGive(states, {{kYjsOwn, 1, "null"}});
  EXPECT_EQ(YjsTake(states), (YjsSent{kYjsOwn, 2, "{}"})) << "an equal one";
  YjsGive(states, {{kYjsOwn, 10, "null"}});
  EXPECT_EQ(YjsTake(states), (YjsSent{kYjsOwn, 11, "{}"})) << "a newer one";
  YjsGive(states, {{kYjsOwn, kHighestNumber, "null"}});
  EXPECT_EQ(YjsTake(states), (YjsSent{kYjsOwn, kHighestNumber, "{}"})) << "no clock is higher";
}

TEST(YjsAwarenessStates, AnotherStateForTheOwnClientOnlyRaisesTheClock) {
  AwarenessStates states(kYjsOwn);
  states.SetOwn("{}");
  YjsTake(states);
  EXPECT_THAT(YjsGive(states, {{kYjsOwn, 1, "{}"}}), IsEmpty()) << "our own, by a relay";
  EXPECT_THAT(YjsGive(states, {{kYjsOwn, 7, "x"}}), IsEmpty());
  EXPECT_EQ(YjsTake(states), YjsSent{});
  states.SetOwn("{}");
  EXPECT_EQ(YjsTake(states), (YjsSent{kYjsOwn, 8, "{}"}));
}

TEST(YjsAwarenessStates, LeavingIsToldWithTheNextClock) {
  AwarenessStates states(kYjsOwn);
  states.Leave();
  EXPECT_EQ(YjsTake(states), YjsSent{}) << "nobody knows of us";
  states.SetOwn("{}");
  YjsTake(states);
  states.Leave();
  EXPECT_EQ(YjsTake(states), (YjsSent{kYjsOwn, 2, "null"}));
  EXPECT_THAT(states.All(), IsEmpty());
  EXPECT_EQ(states.deadline(), std::nullopt);
  states.OnDeadline(kYjsStart + seconds(100));
  EXPECT_EQ(YjsTake(states, kYjsStart + seconds(100)), YjsSent{});
  YjsGive(states, {{kYjsOwn, 2, "null"}});
  EXPECT_EQ(YjsTake(states), YjsSent{}) << "so it is";
  states.SetOwn("{}");
  EXPECT_EQ(YjsTake(states), (YjsSent{kYjsOwn, 3, "{}"}));
  states.SetOwn(kGoneState);
  EXPECT_EQ(YjsTake(states), (YjsSent{kYjsOwn, 4, "null"}));
}

TEST(YjsAwarenessStates, HoldNoMoreThanTheirBound) {
  AwarenessStates states(kYjsOwn);
  states.SetOwn("{}");
  YjsEntries entries;
  for (uint64_t i = 1; i < kMaxAwarenessClients; ++i) entries.push_back({100 + i, 1, "x"});
  EXPECT_THAT(YjsGive(states, entries), SizeIs(kMaxAwarenessClients - 1));
  EXPECT_THAT(YjsGive(states, {{7, 1, "y"}}), IsEmpty()) << "no room";
  EXPECT_THAT(YjsGive(states, {{101, 2, "y"}}), ElementsAre(101)) << "a known one";
  // The answer for a peer can be read.
  EXPECT_THAT(ReadAwareness(WriteAwareness(states.All())),
              IsOkAndHolds(SizeIs(kMaxAwarenessClients)));
  // One that is gone makes room.
  EXPECT_THAT(YjsGive(states, {{102, 2, "null"}}), ElementsAre(102));
  EXPECT_THAT(YjsGive(states, {{7, 1, "y"}}), ElementsAre(7));
  EXPECT_THAT(states.All(), SizeIs(kMaxAwarenessClients));
}

// What one has to say, the other takes.
TEST(YjsAwarenessStates, OfTwoPeersAreTheSame) {
  AwarenessStates one(1);
  AwarenessStates two(2);
  one.SetOwn("{\"name\":\"one\"}");
  two.SetOwn("{\"name\":\"two\"}");
  const std::string of_one = *one.TakeUpdate(kYjsStart);
  const std::string of_two = *two.TakeUpdate(kYjsStart);
  EXPECT_THAT(two.Apply(*ReadAwareness(of_one), kYjsStart), ElementsAre(1));
  EXPECT_THAT(one.Apply(*ReadAwareness(of_two), kYjsStart), ElementsAre(2));
  EXPECT_THAT(one.All(), testing::UnorderedElementsAreArray(two.All()));
}

}  // namespace
}  // namespace cursorwire::yjs
