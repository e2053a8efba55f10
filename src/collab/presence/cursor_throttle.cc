#include "collab/presence/cursor_throttle.h"

#include <utility>

namespace cursorwire::collab {

void CursorThrottle::Set(Cursor cursor) {
  cursor.timestamp = 0;
  if (cursor_ == cursor) return;
  cursor_ = std::move(cursor);
  changed_ = true;
}

std::optional<CursorThrottle::TimePoint> CursorThrottle::deadline() const {
  if (!cursor_) return std::nullopt;
  if (!sent_) return TimePoint();
  return *sent_ + (changed_ ? kInterval : kKeepAlive);
}

std::optional<Cursor> CursorThrottle::Take(TimePoint now, int64_t timestamp) {
  const std::optional<TimePoint> due = deadline();
  if (!due || now < *due) return std::nullopt;
  sent_ = now;
  changed_ = false;
  Cursor cursor = *cursor_;
  cursor.timestamp = timestamp;
  return cursor;
}

}  // namespace cursorwire::collab
