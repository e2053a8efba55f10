#include "common/write_limit.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <limits>

namespace cursor_apps {

WriteLimit::WriteLimit(const std::stop_token& stop, Clock::time_point end)
    : stop_(stop),
      stop_event_(cursorwire::process::StopEvent::Create(stop).value_or(nullptr)),
      end_(end) {}

bool WriteLimit::AwaitRoom(int fd) const {
  for (;;) {
    const bool over = IsOver();
    // poll() ignores a negative descriptor.
    pollfd events[] = {{fd, POLLOUT, 0}, {over ? -1 : StopDescriptor(), POLLIN, 0}};
    const int timeout = over ? static_cast<int>(kLastWait.count()) : PollTimeout();
    const int count = ::poll(events, std::size(events), timeout);
    if (count < 0 && errno != EINTR) return true;  // write() reports the error
    if (count > 0 && events[0].revents != 0) return true;
    if (count == 0 && over) return false;
  }
}

// The time until the end, rounded up: waking too early would only mean to poll again.
int WriteLimit::PollTimeout() const {
  if (end_ == kNever) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end_ - Clock::now()).count();
  return static_cast<int>(std::clamp<decltype(left)>(left, 0, std::numeric_limits<int>::max()));
}

}  // namespace cursor_apps
