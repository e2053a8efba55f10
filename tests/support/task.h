#ifndef CURSORWIRE_TESTS_SUPPORT_TASK_H_
#define CURSORWIRE_TESTS_SUPPORT_TASK_H_

#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <utility>

#include "cursorwire/connect/coroutine.h"
#include "support/patience.h"

namespace cursorwire::test {

// A coroutine that runs at once, and whose result a thread may wait for. Destroying it destroys the
// coroutine where it stands.
template <typename T>
class Task {
 public:
  struct promise_type {
    // Tells of the result once the coroutine is suspended for good: then it may be destroyed.
    struct Finish {
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<promise_type> coroutine) const noexcept {
        // The frame may be gone as soon as the result is there.
        const auto shared = coroutine.promise().done;
        shared->set_value(std::move(coroutine.promise().result));
      }
      void await_resume() const noexcept {}
    };

    Task get_return_object() {
      return Task(std::coroutine_handle<promise_type>::from_promise(*this), done->get_future());
    }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    Finish final_suspend() const noexcept { return {}; }
    void return_value(T value) { result = std::move(value); }
    void unhandled_exception() { std::terminate(); }

    T result{};
    std::shared_ptr<std::promise<T>> done = std::make_shared<std::promise<T>>();
  };

  Task(Task&& other) noexcept
      : coroutine_(std::exchange(other.coroutine_, {})), result_(std::move(other.result_)) {}
  ~Task() {
    if (coroutine_) coroutine_.destroy();
  }

  bool is_done() const {
    return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  // Waits for the result, as WaitFor(). Once.
  T Get(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return WaitFor(result_, file, line);
  }

 private:
  Task(std::coroutine_handle<promise_type> coroutine, std::future<T> result)
      : coroutine_(coroutine), result_(std::move(result)) {}

  std::coroutine_handle<promise_type> coroutine_;
  std::future<T> result_;
};

// An executor whose functions the test's own thread runs.
class RunByHand {
 public:
  connect::Executor executor() {
    return [this](std::function<void()> run) {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(run));
      changed_.notify_all();
    };
  }
  // Waits for a function, without running it; false after kPatience.
  bool Await() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [this] { return !waiting_.empty(); });
  }
  bool empty() {
    const std::lock_guard lock(mutex_);
    return waiting_.empty();
  }
  // Runs the next one, which it waits for; false if none comes.
  bool RunOne() {
    if (!Await()) return false;
    std::function<void()> run;
    {
      const std::lock_guard lock(mutex_);
      run = std::move(waiting_.front());
      waiting_.pop_front();
    }
    run();
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
};

}  // namespace cursorwire::test

#endif  // CURSORWIRE_TESTS_SUPPORT_TASK_H_
