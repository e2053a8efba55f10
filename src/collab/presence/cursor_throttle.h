#ifndef CURSORWIRE_SRC_COLLAB_PRESENCE_CURSOR_THROTTLE_H_
#define CURSORWIRE_SRC_COLLAB_PRESENCE_CURSOR_THROTTLE_H_

#include <chrono>
#include <optional>

#include "collab/presence/cursor.h"

namespace cursorwire::collab {

// When to send an own cursor: the first state at once, then at most one each 100 ms, and always the
// last one; again after 5 s without a change, since others forget a cursor after 10 s. No clock:
// times come in.
//
// Order: Set() for each change; Take() after it and at deadline(), and what it returns is sent.
class CursorThrottle {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::milliseconds kInterval{100};
  static constexpr std::chrono::milliseconds kKeepAlive{5000};

  void Set(Cursor cursor);
  // Nothing more is to be sent, until the next Set().
  void Clear() { cursor_.reset(); }
  // `timestamp`: milliseconds since 1970, for the message.
  std::optional<Cursor> Take(TimePoint now, int64_t timestamp);
  // nullopt: nothing was set.
  std::optional<TimePoint> deadline() const;

 private:
  std::optional<Cursor> cursor_;
  bool changed_ = false;
  std::optional<TimePoint> sent_;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_PRESENCE_CURSOR_THROTTLE_H_
