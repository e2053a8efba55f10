#ifndef CURSORWIRE_APPS_COMMON_WRITE_LIMIT_H_
#define CURSORWIRE_APPS_COMMON_WRITE_LIMIT_H_

#include <chrono>
#include <memory>
#include <stop_token>

#include "process/stop_event.h"

namespace cursor_apps {

// Once the limit is over, a reader is given up if it reads nothing for this long.
inline constexpr std::chrono::milliseconds kLastWait{1'000};

// How long a write waits for the reader: until a stop is requested or a time has come, and after
// that only while the reader keeps reading. Thread-safe.
class WriteLimit {
 public:
  using Clock = std::chrono::steady_clock;

  // The default waits forever.
  explicit WriteLimit(const std::stop_token& stop = {}, Clock::time_point end = kNever);

  bool IsStopped() const { return stop_.stop_requested(); }
  bool IsOver() const { return IsStopped() || Clock::now() >= end_; }
  // Waits until `fd` is writable or has failed. False: the limit is over, and there was no room for
  // kLastWait.
  bool AwaitRoom(int fd) const;

 private:
  static constexpr Clock::time_point kNever = Clock::time_point::max();

  int PollTimeout() const;

  const std::stop_token stop_;
  int StopDescriptor() const { return stop_event_ == nullptr ? -1 : stop_event_->fd(); }

  const std::unique_ptr<cursorwire::process::StopEvent> stop_event_;
  const Clock::time_point end_;
};

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_WRITE_LIMIT_H_
