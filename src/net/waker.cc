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
  // The pipe is empty here, except in a race with Drain(), so the byte fits; and a full pipe would
  // wake the reader as well.
  [[maybe_unused]] const ssize_t written = ::write(write_end_.get(), &byte, 1);
}

void Waker::Drain() {
  char bytes[16];
  while (::read(read_end_.get(), bytes, sizeof(bytes)) > 0) {
  }
  // Must follow the read: a Wake() before this line is noticed, since the caller looks for work
  // next.
  woken_.store(false);
}

}  // namespace cursorwire::net
