#include "core/timer_queue.h"

#include <gtest/gtest.h>

#include <chrono>

namespace cursorwire::core {
namespace {

using namespace std::chrono_literals;

constexpr connect::TimePoint At(std::chrono::milliseconds time) {
  return connect::TimePoint() + time;
}

TEST(TimerQueue, GivesWhatIsDueInOrderOfTime) {
  TimerQueue queue;
  EXPECT_FALSE(queue.next().has_value());
  queue.Set(1, At(30ms));
  queue.Set(2, At(10ms));
  queue.Set(3, At(20ms));
  EXPECT_EQ(queue.next(), At(10ms));
  EXPECT_FALSE(queue.TakeDue(At(9ms)).has_value());
  EXPECT_EQ(queue.TakeDue(At(20ms)), 2u);
  EXPECT_EQ(queue.TakeDue(At(20ms)), 3u);
  EXPECT_FALSE(queue.TakeDue(At(20ms)).has_value());
  EXPECT_EQ(queue.next(), At(30ms));
}

TEST(TimerQueue, KeepsOneTimeForEachKey) {
  TimerQueue queue;
  queue.Set(1, At(10ms));
  queue.Set(1, At(50ms));
  EXPECT_FALSE(queue.TakeDue(At(49ms)).has_value());
  EXPECT_EQ(queue.TakeDue(At(50ms)), 1u);
  queue.Set(2, At(10ms));
  queue.Remove(2);
  queue.Remove(2);
  EXPECT_FALSE(queue.next().has_value());
}

}  // namespace
}  // namespace cursorwire::core
