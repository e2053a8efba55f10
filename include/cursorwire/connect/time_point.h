// Room: values
#ifndef CURSORWIRE_CONNECT_TIME_POINT_H_
#define CURSORWIRE_CONNECT_TIME_POINT_H_

#include <chrono>

namespace cursorwire::connect {

// Points in time that are passed into the parts without I/O. They never read the clock themselves:
// a test may count time as it likes.
using TimePoint = std::chrono::steady_clock::time_point;

// `time` after `now`; the end of time where the sum does not fit, so that any large timeout means
// none.
inline TimePoint After(TimePoint now, std::chrono::milliseconds time) {
  const auto left = std::chrono::floor<std::chrono::milliseconds>(TimePoint::max() - now);
  return time < left ? now + time : TimePoint::max();
}

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_TIME_POINT_H_
