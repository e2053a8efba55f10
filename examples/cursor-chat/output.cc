#include "output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace cursor_chat {

void Output::Write(std::string_view text) {
  while (status_.ok() && !text.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<size_t>(count));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      // Another program that shares the terminal or pipe may have made it non-blocking.
      pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
      ::poll(&output, 1, -1);
    } else if (errno != EINTR) {
      Fail(errno);
    }
  }
}

void Output::Close() {
  if (::close(STDOUT_FILENO) != 0 && errno != EINTR && status_.ok()) Fail(errno);
}

void Output::Fail(int error) {
  reader_is_gone_ = error == EPIPE;
  status_ = absl::UnknownError("cannot write to standard output: " +
                               std::system_category().message(error));
}

}  // namespace cursor_chat
