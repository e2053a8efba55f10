#include "net/waker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "net/poller.h"
#include "support/patience.h"

namespace cursorwire::net {
namespace {

bool IsAwake(const Waker& waker, std::optional<connect::TimePoint> deadline) {
  Poller poller;
  poller.Add(waker.fd(), Poller::Interest::kRead);
  poller.Wait(deadline);
  return poller.readable(0);
}

TEST(Waker, WakesAThreadThatWaits) {
  const std::shared_ptr<Waker> waker = *Waker::Create();
  std::thread thread([&] { EXPECT_TRUE(IsAwake(*waker, std::nullopt)); });
  waker->Wake();
  thread.join();
}

TEST(Waker, RemembersAWakeBeforeTheWait) {
  const std::shared_ptr<Waker> waker = *Waker::Create();
  EXPECT_FALSE(IsAwake(*waker, Now()));
  waker->Wake();
  EXPECT_TRUE(IsAwake(*waker, Now()));
  EXPECT_TRUE(IsAwake(*waker, Now())) << "only Drain() forgets it";
}

TEST(Waker, ManyWakesAreOne) {
  const std::shared_ptr<Waker> waker = *Waker::Create();
  for (int i = 0; i < 200'000; ++i) waker->Wake();
  EXPECT_TRUE(IsAwake(*waker, Now()));
  waker->Drain();
  EXPECT_FALSE(IsAwake(*waker, Now()));
  waker->Drain();
  waker->Wake();
  EXPECT_TRUE(IsAwake(*waker, Now()));
}

// Each thread waits for its own last word to be heard before it says the next: one wake-up that got
// lost would stop the test.
TEST(Waker, LosesNoWakeBetweenThreads) {
  constexpr int kRounds = 5'000;
  const std::shared_ptr<Waker> waker = *Waker::Create();
  std::vector<std::atomic<int>> said(3);
  std::vector<std::atomic<int>> heard(said.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < said.size(); ++i) {
    threads.emplace_back([&, i] {
      for (int round = 1; round <= kRounds; ++round) {
        said[i] = round;
        waker->Wake();
        heard[i].wait(round - 1);
      }
    });
  }
  size_t finished = 0;
  while (finished < said.size()) {
    ASSERT_TRUE(IsAwake(*waker, Now() + test::kPatience)) << "a wake-up was lost";
    waker->Drain();
    finished = 0;
    for (size_t i = 0; i < said.size(); ++i) {
      heard[i] = said[i].load();
      heard[i].notify_all();
      if (heard[i] == kRounds) ++finished;
    }
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace cursorwire::net
