#ifndef CURSORWIRE_APPS_GATEWAY_HTTP_EVENT_LOOP_H_
#define CURSORWIRE_APPS_GATEWAY_HTTP_EVENT_LOOP_H_

#include <chrono>
#include <functional>
#include <memory>

#include "http/timer_queue.h"

namespace cursor_gateway {

// The one thread on which the gateway works: sockets, timers, and functions that other threads
// post. Only Post() and Stop() may be called from any thread.
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
  std::unique_ptr<Io> io_;
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_HTTP_EVENT_LOOP_H_
