#include "collab/socket/event_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace cursorwire::collab {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using ::testing::ElementsAre;

TEST(SocketEventLoop, CallsWhatIsPostedInOrderAndLater) {
  EventLoop loop;
  std::vector<std::string> calls;
  loop.Post([&] {
    loop.Post([&] {
      calls.emplace_back("inner");
      loop.Stop();
    });
    calls.emplace_back("first");
  });
  loop.Post([&] { calls.emplace_back("second"); });
  EXPECT_THAT(calls, ElementsAre());
  loop.Run();
  EXPECT_THAT(calls, ElementsAre("first", "second", "inner"));
}

TEST(SocketEventLoop, TakesFunctionsOfOtherThreads) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 1000;
  EventLoop loop;
  int calls = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int call = 0; call < kCalls; ++call) {
        loop.Post([&] {
          if (++calls == kThreads * kCalls) loop.Stop();
        });
      }
    });
  }
  loop.Run();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(calls, kThreads * kCalls);
}

TEST(SocketEventLoop, StopsAfterWhatWasPostedBeforeAndRunsAgain) {
  EventLoop loop;
  int calls = 0;
  loop.Post([&] { ++calls; });
  loop.Stop();
  loop.Run();
  EXPECT_EQ(calls, 1);
  loop.Post([&] { ++calls; });
  loop.Stop();
  loop.Run();
  EXPECT_EQ(calls, 2);
}

TEST(SocketEventLoop, DropsWhatWasNotCalled) {
  const auto held = std::make_shared<int>(0);
  {
    EventLoop loop;
    loop.Post([held] { ++*held; });
    EXPECT_EQ(held.use_count(), 2);
  }
  EXPECT_EQ(held.use_count(), 1);
  EXPECT_EQ(*held, 0);
}

TEST(SocketTimer, CallsAtEachDeadline) {
  EventLoop loop;
  int calls = 0;
  std::optional<Timer> timer;
  const auto begin = steady_clock::now();
  timer.emplace(loop, [&] {
    if (++calls == 3) {
      loop.Stop();
    } else {
      timer->SetDeadline(begin + milliseconds(calls));
    }
  });
  timer->SetDeadline(begin - hours(1));
  EXPECT_EQ(calls, 0);
  loop.Run();
  EXPECT_EQ(calls, 3);
  EXPECT_GE(steady_clock::now(), begin + milliseconds(2));
}

TEST(SocketTimer, ReplacesItsDeadline) {
  EventLoop loop;
  const auto now = steady_clock::now();
  std::vector<std::string> calls;
  Timer later(loop, [&] { calls.emplace_back("later"); });
  Timer sooner(loop, [&] {
    calls.emplace_back("sooner");
    loop.Stop();
  });
  Timer cancelled(loop, [&] { calls.emplace_back("cancelled"); });
  later.SetDeadline(now - hours(2));
  later.SetDeadline(now + hours(1));
  cancelled.SetDeadline(now - hours(2));
  cancelled.SetDeadline(std::nullopt);
  sooner.SetDeadline(now + hours(1));
  sooner.SetDeadline(now);
  loop.Run();
  EXPECT_THAT(calls, ElementsAre("sooner"));
}

// Both waits are over when the first function runs.
TEST(SocketTimer, IsNotCalledAfterItsEndEvenIfItIsDue) {
  EventLoop loop;
  const auto past = steady_clock::now() - hours(1);
  std::vector<std::string> calls;
  std::optional<Timer> destroyed;
  std::optional<Timer> cancelled;
  Timer first(loop, [&] {
    calls.emplace_back("first");
    destroyed.reset();
    cancelled->SetDeadline(std::nullopt);
    loop.Stop();
  });
  destroyed.emplace(loop, [&] { calls.emplace_back("destroyed"); });
  cancelled.emplace(loop, [&] { calls.emplace_back("cancelled"); });
  first.SetDeadline(past - hours(1));
  destroyed->SetDeadline(past);
  cancelled->SetDeadline(past);
  loop.Run();
  EXPECT_THAT(calls, ElementsAre("first"));
}

TEST(SocketTimer, MayBeDestroyedByItsFunction) {
  EventLoop loop;
  const auto held = std::make_shared<int>(7);
  int seen = 0;
  std::optional<Timer> timer;
  timer.emplace(loop, [&loop, &timer, &seen, held] {
    timer.reset();
    seen = *held;
    loop.Stop();
  });
  timer->SetDeadline(steady_clock::now());
  loop.Run();
  EXPECT_EQ(seen, 7);
}

}  // namespace
}  // namespace cursorwire::collab
