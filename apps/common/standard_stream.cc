#include "common/standard_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace cursor_apps {
namespace {

// A pipe or socket that has any room takes this much without blocking: pipe(7), PIPE_BUF.
constexpr size_t kWriteBytes = PIPE_BUF;

cursorwire::FileDescriptor OpenTerminal(int fd) {
  char name[PATH_MAX];
  if (::ttyname_r(fd, name, sizeof(name)) != 0) return cursorwire::FileDescriptor();
  return cursorwire::FileDescriptor(::open(name, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
}

// False for the reading end of a pipe, for example, on which poll() would wait forever.
bool CanWrite(int fd) {
  const int flags = ::fcntl(fd, F_GETFL);
  return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

}  // namespace

StandardStream::StandardStream(int fd)
    : fd_(fd),
      is_terminal_(::isatty(fd) != 0),
      terminal_(is_terminal_ ? OpenTerminal(fd) : cursorwire::FileDescriptor()) {}

int StandardStream::Write(std::string_view bytes, const WriteLimit& limit) const {
  if (!CanWrite(fd_)) return EBADF;
  const int fd = terminal_.valid() ? terminal_.get() : fd_;
  while (!bytes.empty()) {
    if (!limit.AwaitRoom(fd)) return ETIMEDOUT;
    const ssize_t count = ::write(fd, bytes.data(), std::min(bytes.size(), kWriteBytes));
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int StandardStream::WriteAtOnce(std::string_view bytes) const {
  if (!CanWrite(fd_)) return EBADF;
  pollfd event{.fd = terminal_.valid() ? terminal_.get() : fd_, .events = POLLOUT, .revents = 0};
  const int ready = ::poll(&event, 1, 0);
  if (ready == 0) return EAGAIN;
  if (ready < 0) return errno;
  return ::write(event.fd, bytes.data(), std::min(bytes.size(), kWriteBytes)) < 0 ? errno : 0;
}

void OpenStandardStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // open() returns the lowest free descriptor, which is `fd`. Without /dev/null nothing can be
    // done.
    if (::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) return;
  }
}

}  // namespace cursor_apps
