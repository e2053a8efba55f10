#ifndef CURSORWIRE_SRC_COLLAB_SOCKET_EVENT_LOOP_H_
#define CURSORWIRE_SRC_COLLAB_SOCKET_EVENT_LOOP_H_

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace cursorwire::collab {

// Runs functions, timers and the sockets of this folder, all on the one thread that calls Run().
//
// Only Post() and Stop() may be called from any thread. Timers and WebSockets must be destroyed
// before the loop. Functions that were not called yet are destroyed with the loop.
class EventLoop {
 public:
  EventLoop();
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Works until Stop(). May be called again afterwards. An exception that a function throws ends
  // the program.
  void Run() noexcept;
  // Ends Run(), now or next, after the functions that were posted before. Thread-safe.
  void Stop();
  // Calls `function` on the loop's thread: later, never at once, and in the order of the calls.
  // Thread-safe.
  void Post(std::function<void()> function);

  // For the files of this folder; see event_loop_impl.h.
  class Io;
  Io& io() { return *io_; }

 private:
  const std::unique_ptr<Io> io_;
};

// Calls a function at a deadline. Loop's thread only.
class Timer {
 public:
  using Deadline = std::chrono::steady_clock::time_point;

  Timer(EventLoop& loop, std::function<void()> function);
  // The function is not called any more. It may destroy its own Timer.
  ~Timer();
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Replaces the deadline, at which the function is called once; nullopt: it is not called. A
  // deadline in the past is due in the loop's next step, never within this call.
  void SetDeadline(std::optional<Deadline> deadline);

 private:
  struct State;

  // Shared with the wait that is pending in the loop, which may end after the Timer.
  const std::shared_ptr<State> state_;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_SOCKET_EVENT_LOOP_H_
