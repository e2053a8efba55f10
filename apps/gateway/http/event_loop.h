#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_EVENT_LOOP_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_EVENT_LOOP_H_

#include <absl/functional/function_ref.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace cursor_gateway {

using TimePoint = std::chrono::steady_clock::time_point;

// The one thread on which the gateway works: sockets, timers, and functions that other threads
// post. Only Post() and Stop() may be called from any thread. Whatever may post from a thread of
// its own ends before the loop is destroyed.
class EventLoop {
 public:
  // Its function is called once, unless the Timer is reset, assigned to or destroyed before.
  using Timer = std::shared_ptr<void>;
  using Clock = std::function<TimePoint()>;

  // `clock` says what time it is; a test may have its own, and tells of a change by Post().
  explicit EventLoop(Clock clock = std::chrono::steady_clock::now);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Works until Stop(). What was posted before is done. An exception that a function throws ends
  // that function alone, where OnFailure() was called, and leaves Run() otherwise.
  void Run();
  // Called with what an exception says. On the loop's thread.
  void OnFailure(std::function<void(const char* what)> on_failure) {
    on_failure_ = std::move(on_failure);
  }
  // Calls a function now. False: it threw an exception, of which OnFailure() was told; without that
  // the exception goes on. For queues, which must go on whatever one of those does that wait. On
  // the loop's thread.
  bool Call(absl::FunctionRef<void()> function);
  void Stop();
  void Post(std::function<void()> function);
  // Once Run() is over and the sockets are closed: ends what they were doing. Functions that wait,
  // or are posted from now on, are dropped without a call, so that what they hold ends while what
  // that needs is still there.
  void Close();

  TimePoint Now() const { return clock_(); }
  [[nodiscard]] Timer After(std::chrono::milliseconds time, std::function<void()> function);

  // For the server of this folder.
  class Io;
  Io& io() { return *io_; }
  // Calls what is due, and wakes when the next is.
  void ServeTimers();

 private:
  using TimerKey = std::pair<TimePoint, uint64_t>;
  using Timers = std::map<TimerKey, std::function<void()>>;

  Clock clock_;
  std::function<void(const char* what)> on_failure_;
  const std::shared_ptr<Timers> timers_ = std::make_shared<Timers>();  // a Timer may outlive it
  uint64_t last_timer_ = 0;
  std::mutex mutex_;
  bool closed_ = false;  // changed on the loop's thread; others read it under mutex_
  std::unique_ptr<Io> io_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_EVENT_LOOP_H_
