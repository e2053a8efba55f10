#include "net/waker.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"

namespace cursorwire::net {

absl::StatusOr<std::shared_ptr<Waker>> Waker::Create() {
  int fds[2] = {-1, -1};
  if (::pipe2(fds, O_NONBLOCK | O_CLOEXEC) != 0) {
    return TransportError("pipe: no file descriptor left", Replay::kSafe);
  }
  return std::shared_ptr<Waker>(new Waker(FileDescriptor(fds[0]), FileDescriptor(fds[1])));
}

void Waker::Wake() {
  if (woken_.exchange(true)) return;
  const char byte = 0;
  // The pipe is empty here but for a race with Drain(), so that the byte always fits; a full pipe
  // would wake the reader as well.
  [[maybe_unused]] const ssize_t written = ::write(write_end_.get(), &byte, 1);
}

void Waker::Drain() {
  char bytes[16];
  while (::read(read_end_.get(), bytes, sizeof(bytes)) > 0) {
  }
  // After the read: a Wake() before this line is seen by the caller, who looks for work next.
  woken_.store(false);
}

}  // namespace cursorwire::net
