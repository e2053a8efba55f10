#include "output.h"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "visible_text.h"

namespace cursor_chat {

Output::Output(cursorwire::connect::Redactor redactor)
    : redactor_(std::move(redactor)), output_(STDOUT_FILENO), errors_(STDERR_FILENO) {}

void Output::LimitWaits(const std::stop_token& stop, WriteLimit::Clock::time_point end) {
  limit_.emplace(stop, end);
}

void Output::Write(std::string_view text) {
  if (text.empty()) return;
  used_ = true;
  if (!is_terminal()) return WriteBytes(text);
  const Terminal::Hold hold = terminal_.Take();
  WriteBytes(VisibleText(text));
  in_line_ = !text.ends_with('\n');
}

void Output::WriteError(std::string_view text) {
  if (errors_are_read_) errors_are_read_ = errors_.Write(text, *limit_) != ETIMEDOUT;
}

Terminal::Hold Output::StartLine(const std::stop_token& stop) {
  Terminal::Hold hold = terminal_.Take(stop);
  if (!hold || !in_line_) return hold;
  in_line_ = false;
  output_.Write("\n", *limit_);  // not part of the output, so a failure does not matter
  return hold;
}

void Output::WriteBytes(std::string_view bytes) {
  if (!status_.ok()) return;
  if (const int error = output_.Write(bytes, *limit_); error != 0) Fail(error);
}

void Output::Close() {
  if (::close(STDOUT_FILENO) != 0 && errno != EINTR && status_.ok()) Fail(errno);
}

void Output::Fail(int error) {
  reader_is_gone_ = error == EPIPE;
  if (error == ETIMEDOUT && limit_->IsOver()) {
    status_ = limit_->IsStopped()
                  ? absl::CancelledError("nobody reads standard output")
                  : absl::DeadlineExceededError("nobody reads standard output, and the time is up");
    return;
  }
  status_ = absl::UnknownError("cannot write to standard output: " +
                               std::system_category().message(error));
}

}  // namespace cursor_chat
