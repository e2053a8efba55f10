#ifndef CURSORWIRE_CONNECT_TIME_POINT_H_
#define CURSORWIRE_CONNECT_TIME_POINT_H_

#include <chrono>

namespace cursorwire::connect {

// Points in time that are passed into the parts without I/O. They never read the clock themselves:
// a test may count time as it likes.
using TimePoint = std::chrono::steady_clock::time_point;

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_TIME_POINT_H_
