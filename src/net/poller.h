#ifndef CURSORWIRE_SRC_NET_POLLER_H_
#define CURSORWIRE_SRC_NET_POLLER_H_

#include <poll.h>

#include <optional>
#include <vector>

#include "cursorwire/connect/time_point.h"

namespace cursorwire::net {

// The clock for everything above the parts that do no I/O.
connect::TimePoint Now();

// One wait for any of several descriptors.
//
// Order: Clear(), Add() for each, Wait(), then ask readable() and writable() with the indices that
// Add() gave. Thread-compatible.
class Poller {
 public:
  enum class Interest { kRead, kReadWrite };

  void Clear() { entries_.clear(); }
  size_t Add(int fd, Interest interest);
  // Waits until a descriptor is ready or until `deadline`; without a deadline, indefinitely.
  void Wait(std::optional<connect::TimePoint> deadline);
  // Also true after an error or hang-up, which reading or writing then reports.
  bool readable(size_t index) const { return Ready(index, POLLIN); }
  bool writable(size_t index) const { return Ready(index, POLLOUT); }

 private:
  bool Ready(size_t index, short events) const;

  std::vector<pollfd> entries_;
};

}  // namespace cursorwire::net

#endif  // CURSORWIRE_SRC_NET_POLLER_H_
