#include "standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>

namespace h2_bridge {

StandardStreams::StandardStreams() {
  for (size_t i = 0; i < flags_.size(); ++i) {
    const int fd = static_cast<int>(i);
    flags_[i] = ::fcntl(fd, F_GETFL);
    if (flags_[i] >= 0) (void)::fcntl(fd, F_SETFL, flags_[i] | O_NONBLOCK);
    // Fails where it is no pipe, or pipes have no more room.
    if (fd != STDERR_FILENO) (void)::fcntl(fd, F_SETPIPE_SZ, kMaxPipeBytes);
  }
}

StandardStreams::~StandardStreams() {
  for (size_t i = 0; i < flags_.size(); ++i) {
    if (flags_[i] >= 0) (void)::fcntl(static_cast<int>(i), F_SETFL, flags_[i]);
  }
}

}  // namespace h2_bridge
