#include "client/turn/handler_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "support/patience.h"
#include "support/thread_signals.h"

namespace cursorwire {
namespace {

TEST(HandlerThreads, RunsTasksAtTheSameTime) {
  HandlerThreads threads;
  // Each waits for all: fewer threads than that would hang.
  std::vector<std::promise<void>> started(HandlerThreads::kMaxThreads);
  std::promise<void> all;
  const std::shared_future<void> go = all.get_future().share();
  for (std::promise<void>& promise : started) {
    ASSERT_NE(0u, threads.Post([&promise, go] {
      promise.set_value();
      test::WaitFor(go);
    }));
  }
  for (std::promise<void>& promise : started) test::WaitFor(promise.get_future());
  all.set_value();
}

TEST(HandlerThreads, LeavesSignalsToTheThreadsOfTheProgram) {
  const std::set<int> before = test::Threads();
  HandlerThreads threads;
  std::promise<void> go;
  const std::shared_future<void> gone = go.get_future().share();
  for (size_t i = 0; i < HandlerThreads::kMaxThreads; ++i) {
    ASSERT_TRUE(threads.Post([gone] { test::WaitFor(gone); }));
  }
  constexpr int kAll = static_cast<int>(HandlerThreads::kMaxThreads);
  EXPECT_EQ(test::ExpectNoSignalsFor(before, kAll), kAll);
  go.set_value();
}

TEST(HandlerThreads, RunsMoreTasksThanItHasThreads) {
  constexpr int kTasks = 100;
  std::atomic<int> done = 0;
  std::promise<void> last;
  HandlerThreads threads;
  for (int i = 0; i < kTasks; ++i) {
    ASSERT_NE(0u, threads.Post([&] {
      if (++done == kTasks) last.set_value();
    }));
  }
  test::WaitFor(last.get_future());
  EXPECT_EQ(done, kTasks);
}

TEST(HandlerThreads, StartsNoThreadWhileOneIsIdle) {
  HandlerThreads threads;
  std::set<std::thread::id> ids;
  for (int i = 0; i < 50; ++i) {
    std::promise<std::thread::id> id;
    ASSERT_NE(0u, threads.Post([&id] { id.set_value(std::this_thread::get_id()); }));
    ids.insert(test::WaitFor(id.get_future()));
    while (threads.idle() == 0) std::this_thread::yield();
  }
  EXPECT_EQ(ids.size(), 1u);
}

// The last of a client may go within one of its handlers.
TEST(HandlerThreads, AreDestroyedWithinATask) {
  std::promise<void> done;
  auto* const threads = new HandlerThreads;
  ASSERT_NE(threads->Post([threads, &done] {
    delete threads;
    done.set_value();
  }),
            0u);
  test::WaitFor(done.get_future());
}

TEST(HandlerThreads, TakesNothingOnceItHasStopped) {
  HandlerThreads threads;
  threads.Stop();
  EXPECT_EQ(threads.Post([] {}), 0u);
}

TEST(HandlerThreads, ForgetsAtOnceWhatIsDroppedWhileItWaits) {
  std::promise<void> go;
  const std::shared_future<void> may_end = go.get_future().share();
  std::promise<void> last;
  std::atomic<int> ran = 0;
  HandlerThreads threads;
  std::vector<HandlerThreads::Ticket> tickets;
  for (size_t i = 0; i < HandlerThreads::kMaxThreads; ++i) {
    tickets.push_back(threads.Post([may_end] { test::WaitFor(may_end); }));
  }
  const auto held = std::make_shared<int>(0);
  const auto post = [&] { return threads.Post([&ran, held] { ++ran; }); };
  const HandlerThreads::Ticket first = post();
  const HandlerThreads::Ticket second = post();
  EXPECT_NE(first, second);
  EXPECT_EQ(held.use_count(), 3);
  threads.Drop(first);
  EXPECT_EQ(held.use_count(), 2);
  for (const HandlerThreads::Ticket ticket : tickets) threads.Drop(ticket);  // they may run
  threads.Drop(0);
  ASSERT_NE(threads.Post([&last] { last.set_value(); }), 0u);
  go.set_value();
  test::WaitFor(last.get_future());
  while (held.use_count() > 1) std::this_thread::yield();
  EXPECT_EQ(ran, 1);
}

TEST(HandlerThreads, WaitsForWhatRunsAndDropsWhatWaits) {
  auto token = std::make_shared<int>(0);
  std::atomic<int> finished = 0;
  std::promise<void> go;
  const std::shared_future<void> may_end = go.get_future().share();
  std::atomic<size_t> running = 0;
  std::promise<void> full;
  std::atomic<bool> dropped_ran = false;
  {
    auto threads = std::make_unique<HandlerThreads>();
    for (size_t i = 0; i < HandlerThreads::kMaxThreads; ++i) {
      ASSERT_NE(0u, threads->Post([&, may_end, token] {
        if (++running == HandlerThreads::kMaxThreads) full.set_value();
        test::WaitFor(may_end);
        ++finished;
      }));
    }
    test::WaitFor(full.get_future());
    ASSERT_NE(0u, threads->Post([&dropped_ran, token] { dropped_ran = true; }));
    std::thread destroyer([&threads] { threads.reset(); });
    // The task that waits is gone before those that run are.
    while (token.use_count() > static_cast<long>(HandlerThreads::kMaxThreads) + 1) {
      std::this_thread::yield();
    }
    EXPECT_EQ(finished, 0);
    go.set_value();
    destroyer.join();
  }
  EXPECT_EQ(finished, static_cast<int>(HandlerThreads::kMaxThreads));
  EXPECT_FALSE(dropped_ran);
  EXPECT_EQ(token.use_count(), 1);
}

}  // namespace
}  // namespace cursorwire
