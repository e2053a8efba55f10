#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_EVENT_LOOP_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_EVENT_LOOP_H_

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>

#include "http/timer_queue.h"

namespace cursor_gateway {

// The one thread on which the gateway works: sockets, timers, and functions that other threads
// post. Only Post() and Stop() may be called from any thread. Whatever may post from a thread of
// its own ends before the loop is destroyed.
class EventLoop {
 public:
  using Timer = TimerQueue::Timer;
  using Clock = std::function<TimePoint()>;

  // `clock` says what time it is; a test may have its own, and tells of a change by Post().
  explicit EventLoop(Clock clock = std::chrono::steady_clock::now);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Works until Stop(). What was posted before is done.
  void Run();
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
  Clock clock_;
  TimerQueue timers_;
  std::mutex mutex_;
  bool closed_ = false;  // changed on the loop's thread; others read it under mutex_
  std::unique_ptr<Io> io_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_EVENT_LOOP_H_
