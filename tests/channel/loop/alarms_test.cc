#include "channel/loop/alarms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>

namespace cursorwire::connect::internal {
namespace {

using namespace std::chrono_literals;
using ::testing::Eq;
using ::testing::Optional;

constexpr TimePoint kStart = TimePoint() + 1000h;

TEST(Alarms, AreDueTheEarliestFirst) {
  Alarms<int> alarms;
  EXPECT_THAT(alarms.next(), Eq(std::nullopt));
  alarms.Set(1, 10, kStart + 2s);
  alarms.Set(2, 20, kStart + 1s);
  EXPECT_THAT(alarms.next(), Optional(kStart + 1s));
  EXPECT_THAT(alarms.TakeDue(kStart + 1s - 1ns), Eq(std::nullopt));
  EXPECT_THAT(alarms.TakeDue(kStart + 5s), Optional(20));
  EXPECT_THAT(alarms.TakeDue(kStart + 5s), Optional(10));
  EXPECT_THAT(alarms.TakeDue(kStart + 5s), Eq(std::nullopt));
  EXPECT_THAT(alarms.next(), Eq(std::nullopt));
}

TEST(Alarms, KeepTheLastOfACall) {
  Alarms<int> alarms;
  alarms.Set(1, 10, kStart + 1s);
  alarms.Set(1, 10, kStart + 3s);
  EXPECT_THAT(alarms.TakeDue(kStart + 2s), Eq(std::nullopt));
  EXPECT_THAT(alarms.TakeDue(kStart + 3s), Optional(10));
}

TEST(Alarms, AreDueAtOnceIfTheirTimeIsBeforeAllTime) {
  Alarms<int> alarms;
  alarms.Set(1, 10, TimePoint::min());
  EXPECT_THAT(alarms.next(), Optional(TimePoint()));
  EXPECT_THAT(alarms.TakeDue(TimePoint()), Optional(10));
}

TEST(Alarms, LetGoOfTheirCalls) {
  Alarms<std::shared_ptr<int>> alarms;
  const auto call = std::make_shared<int>(1);
  alarms.Set(1, call, kStart);
  alarms.Set(2, call, kStart);
  alarms.Set(3, call, kStart);
  EXPECT_EQ(call.use_count(), 4);
  alarms.Remove(1);
  EXPECT_EQ(call.use_count(), 3);
  EXPECT_THAT(alarms.TakeDue(kStart), Optional(call));
  EXPECT_EQ(call.use_count(), 2);
  alarms.Clear();
  EXPECT_EQ(call.use_count(), 1);
  EXPECT_THAT(alarms.TakeDue(kStart), Eq(std::nullopt));
}

}  // namespace
}  // namespace cursorwire::connect::internal
