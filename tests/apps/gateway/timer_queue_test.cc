#include "http/timer_queue.h"

#include <gtest/gtest.h>

#include <string>

namespace cursor_gateway {
namespace {

using std::chrono::seconds;

const TimePoint kStart{};

TEST(TimerQueue, CallsWhatIsDueInOrder) {
  TimerQueue queue;
  std::string called;
  const auto b = queue.At(kStart + seconds(2), [&] { called += 'b'; });
  const auto a = queue.At(kStart + seconds(1), [&] { called += 'a'; });
  const auto c = queue.At(kStart + seconds(3), [&] { called += 'c'; });
  EXPECT_EQ(queue.NextDeadline(), kStart + seconds(1));
  queue.RunDue(kStart);
  EXPECT_EQ(called, "");
  queue.RunDue(kStart + seconds(2));
  EXPECT_EQ(called, "ab");
  queue.RunDue(kStart + seconds(9));
  EXPECT_EQ(called, "abc");
  EXPECT_EQ(queue.NextDeadline(), std::nullopt);
}

TEST(TimerQueue, ForgetsATimerThatIsGone) {
  TimerQueue queue;
  std::string called;
  {
    auto gone = queue.At(kStart, [&] { called += 'x'; });
    auto replaced = queue.At(kStart, [&] { called += 'y'; });
    replaced = queue.At(kStart, [&] { called += 'z'; });
    gone.Cancel();
    queue.RunDue(kStart);
    EXPECT_EQ(called, "z");
  }
  auto outlives = std::make_unique<TimerQueue>();
  const auto timer = outlives->At(kStart, [] {});
  outlives.reset();
}

}  // namespace
}  // namespace cursor_gateway
