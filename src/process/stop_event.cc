#include "process/stop_event.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <utility>

#include "process/system_error.h"

namespace cursorwire::process {

StopEvent::StopEvent(FileDescriptor event, std::stop_token stop)
    : event_(std::move(event)), callback_(std::move(stop), Signal{.fd = event_.get()}) {}

absl::StatusOr<std::unique_ptr<StopEvent>> StopEvent::Create(std::stop_token stop) {
  FileDescriptor event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (event.get() < 0) return SystemError(errno);
  return std::unique_ptr<StopEvent>(new StopEvent(std::move(event), std::move(stop)));
}

// Cannot fail: the counter is written only once, far below its limit.
void StopEvent::Signal::operator()() const {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(fd, &one, sizeof one);
}

}  // namespace cursorwire::process
