#ifndef CURSORWIRE_TESTS_SUPPORT_BLOCKED_WORK_H_
#define CURSORWIRE_TESTS_SUPPORT_BLOCKED_WORK_H_

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "support/patience.h"

namespace cursorwire::test {

// What a handler does that works until it is told to stop. Thread-safe.
class BlockedWork {
 public:
  void Run(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    started_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, stop, kPatience, [] { return false; });
    stopped_ = stop.stop_requested();
    changed_.notify_all();
  }
  void WaitUntilStarted() { WaitUntil(started_); }
  void WaitUntilStopped() { WaitUntil(stopped_); }
  bool stopped() {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }

 private:
  void WaitUntil(const bool& flag) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kPatience, [&flag] { return flag; }));
  }

  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool started_ = false;
  bool stopped_ = false;
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_BLOCKED_WORK_H_
