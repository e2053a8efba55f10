#include "channel/loop/ready_wait.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace cursorwire::connect::internal {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::SizeIs;

using Waits = ReadyWait<int>;

Waits::Waiting CallOf(int call, std::optional<TimePoint> deadline = std::nullopt) {
  return {.call = call, .deadline = deadline, .why = absl::OkStatus()};
}

TEST(ReadyWait, PausesLongerEachTime) {
  Waits waits;
  TimePoint now;
  std::vector<int64_t> pauses;
  for (int i = 0; i < 9; ++i) {
    waits.Add(CallOf(1), now);
    pauses.push_back((*waits.next() - now) / 1ms);
    EXPECT_THAT(waits.TakeDue(*waits.next() - 1ms), SizeIs(0));
    now = *waits.next();
    EXPECT_THAT(waits.TakeDue(now), SizeIs(1));
  }
  EXPECT_THAT(pauses, ElementsAre(100, 200, 400, 800, 1600, 3200, 6400, 10'000, 10'000));
  EXPECT_THAT(waits.next(), Eq(std::nullopt));
  waits.Reset();
  waits.Add(CallOf(1), now);
  EXPECT_EQ(*waits.next() - now, 100ms);
}

TEST(ReadyWait, TakesACallWhoseTimeIsOverAloneBeforeTheNextAttempt) {
  Waits waits;
  waits.Add(CallOf(1), TimePoint());
  waits.Add(CallOf(2, TimePoint() + 50ms), TimePoint());
  EXPECT_EQ(waits.next(), TimePoint() + 50ms);
  const std::vector<Waits::Waiting> due = waits.TakeDue(TimePoint() + 50ms);
  ASSERT_THAT(due, SizeIs(1));
  EXPECT_EQ(due[0].call, 2);
  EXPECT_EQ(waits.next(), TimePoint() + 100ms);
  EXPECT_THAT(waits.TakeDue(TimePoint() + 100ms), SizeIs(1));
  EXPECT_THAT(waits.next(), Eq(std::nullopt));
}

TEST(ReadyWait, TakesTheLastCallWhoseTimeIsOver) {
  Waits waits;
  waits.Add(CallOf(1, TimePoint() + 50ms), TimePoint());
  EXPECT_THAT(waits.TakeDue(TimePoint() + 50ms), SizeIs(1));
  EXPECT_THAT(waits.next(), Eq(std::nullopt));
}

TEST(ReadyWait, ForgetsACall) {
  Waits waits;
  waits.Add(CallOf(7), TimePoint());
  EXPECT_TRUE(waits.Remove(7));
  EXPECT_FALSE(waits.Remove(7));
  EXPECT_THAT(waits.next(), Eq(std::nullopt));
}

}  // namespace
}  // namespace cursorwire::connect::internal
