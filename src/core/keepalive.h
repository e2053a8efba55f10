#ifndef CURSORWIRE_SRC_CORE_KEEPALIVE_H_
#define CURSORWIRE_SRC_CORE_KEEPALIVE_H_

#include <chrono>
#include <optional>

#include "cursorwire/connect/time_point.h"

namespace cursorwire::core {

// Tells a silent peer from a dead one: after `interval` of silence it wants a PING, and when
// nothing came for `timeout` after that, the peer counts as dead.
//
// Order: Start() when the peer is to be watched; OnReceived() for any bytes; Check() at
// NextDeadline(), or at any time. An `interval` of 0 watches nobody; a `timeout` of 0 declares
// nobody dead. Thread-compatible.
class Keepalive {
 public:
  using TimePoint = connect::TimePoint;
  enum class Verdict { kAlive, kPing, kDead };

  Keepalive(std::chrono::milliseconds interval, std::chrono::milliseconds timeout)
      : interval_(interval), timeout_(timeout) {}

  // Silence counts from `now`. No effect while the peer is watched already.
  void Start(TimePoint now);
  void Stop();
  // True if a PING was waiting for it: NextDeadline() may be earlier than it was.
  bool OnReceived(TimePoint now);

  // When Check() may have something to say; nullopt while nobody is watched.
  std::optional<TimePoint> NextDeadline() const;
  // kPing is said once for each silence. Too early: kAlive.
  Verdict Check(TimePoint now);

 private:
  const std::chrono::milliseconds interval_;
  const std::chrono::milliseconds timeout_;
  std::optional<TimePoint> silent_since_;  // while the peer is watched
  std::optional<TimePoint> pinged_at_;
};

}  // namespace cursorwire::core

#endif  // CURSORWIRE_SRC_CORE_KEEPALIVE_H_
