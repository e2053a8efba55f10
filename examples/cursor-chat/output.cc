#include "output.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "visible_text.h"

namespace cursor_chat {

Output::Output(cursorwire::connect::Redactor redactor)
    : redactor_(std::move(redactor)), is_terminal_(::isatty(STDOUT_FILENO) != 0) {}

void Output::Write(std::string_view text) {
  if (!is_terminal_) return WriteBytes(text);
  if (text.empty()) return;
  const Terminal::Hold hold = terminal_.Take();
  WriteBytes(VisibleText(text));
  in_line_ = !text.ends_with('\n');
}

Terminal::Hold Output::StartLine(const std::stop_token& stop) {
  Terminal::Hold hold = terminal_.Take(stop);
  if (!hold || !in_line_) return hold;
  in_line_ = false;
  // Not a part of the output: that it fails does not matter.
  if (::write(STDOUT_FILENO, "\n", 1) < 0) return hold;
  return hold;
}

void Output::WriteBytes(std::string_view bytes) {
  while (status_.ok() && !bytes.empty()) {
    const ssize_t count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
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
