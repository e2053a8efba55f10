#include "workspace/shell/child_wait.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <chrono>

namespace cursorwire::workspace {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kDrainTime{200};
// Used if the system has no file descriptor that reports the end of a process.
constexpr milliseconds kLookInterval{20};
constexpr milliseconds kLongestPoll{60'000};

pollfd ToRead(int fd) { return {.fd = fd, .events = POLLIN, .revents = 0}; }

}  // namespace

bool ChildWait::IsOver(connect::TimePoint now, const OutputPipe& out, const OutputPipe& err) {
  if (!drained_at_ && child_.HasEnded()) drained_at_ = connect::After(now, kDrainTime);
  if (!drained_at_) return false;
  return (out.at_end() && err.at_end()) || now >= *drained_at_;
}

void ChildWait::Poll(connect::TimePoint now, connect::TimePoint deadline, const OutputPipe& out,
                     const OutputPipe& err, int stop_fd) const {
  const connect::TimePoint next = drained_at_.value_or(deadline);
  milliseconds time = std::min(std::chrono::ceil<milliseconds>(next - now), kLongestPoll);
  if (!shell_ended() && child_.end_fd() < 0) time = std::min(time, kLookInterval);
  // Once the shell has ended, leave out its end_fd, which would wake us forever.
  std::array<pollfd, 4> fds = {ToRead(out.fd()), ToRead(err.fd()), ToRead(stop_fd),
                               ToRead(shell_ended() ? -1 : child_.end_fd())};
  ::poll(fds.data(), fds.size(), static_cast<int>(std::max<int64_t>(0, time.count())));
}

}  // namespace cursorwire::workspace
