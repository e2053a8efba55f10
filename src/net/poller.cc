#include "net/poller.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace cursorwire::net {
namespace {

// Rounded up, so that the deadline has passed when poll() returns because of it.
int MillisecondsUntil(connect::TimePoint deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Now()).count();
  return static_cast<int>(std::clamp<decltype(left)>(left, 0, std::numeric_limits<int>::max()));
}

}  // namespace

connect::TimePoint Now() { return std::chrono::steady_clock::now(); }

size_t Poller::Add(int fd, Interest interest) {
  const short events = interest == Interest::kRead ? POLLIN : POLLIN | POLLOUT;
  entries_.push_back({.fd = fd, .events = events, .revents = 0});
  return entries_.size() - 1;
}

void Poller::Wait(std::optional<connect::TimePoint> deadline) {
  const int timeout = deadline ? MillisecondsUntil(*deadline) : -1;
  // An interruption by a signal looks like a timeout: the caller's loop waits again.
  if (::poll(entries_.data(), entries_.size(), timeout) < 0) {
    for (pollfd& entry : entries_) entry.revents = 0;
  }
}

bool Poller::Ready(size_t index, short events) const {
  return (entries_[index].revents & (events | POLLERR | POLLHUP | POLLNVAL)) != 0;
}

}  // namespace cursorwire::net
