#ifndef CURSORWIRE_TESTS_APPS_GATEWAY_LOOP_THREAD_H_
#define CURSORWIRE_TESTS_APPS_GATEWAY_LOOP_THREAD_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include "http/event_loop.h"

namespace cursor_gateway {

// An EventLoop on a thread of its own, whose clock can be put forward.
class LoopThread {
 public:
  LoopThread() : thread_([this] { loop_.Run(); }) {}
  ~LoopThread() { Stop(); }
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

  EventLoop& loop() { return loop_; }

  // Runs a function on the loop's thread and waits for it.
  void Do(const std::function<void()>& function) {
    std::promise<void> done;
    loop_.Post([&] {
      function();
      done.set_value();
    });
    done.get_future().wait();
  }

  // What is due then is done when it returns.
  void Advance(std::chrono::milliseconds time) {
    Do([&] { ahead_ = ahead_.load() + time.count(); });
    Do([] {});
  }

  // How far it has been put forward. On any thread.
  std::chrono::milliseconds ahead() const { return std::chrono::milliseconds(ahead_.load()); }

  void Stop() {
    if (!thread_.joinable()) return;
    loop_.Stop();
    thread_.join();
  }

 private:
  std::atomic<int64_t> ahead_ = 0;  // milliseconds
  EventLoop loop_{[this] {
    return std::chrono::steady_clock::now() + std::chrono::milliseconds(ahead_.load());
  }};
  std::thread thread_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_TESTS_APPS_GATEWAY_LOOP_THREAD_H_
