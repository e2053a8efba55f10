#include "output/output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "common/visible_text.h"

namespace cursor_chat {
namespace {

// Whether the last character is no newline. Sequences such as ESC [0m are not looked at; if there
// is nothing else, it is as `before`.
bool EndsInLine(std::string_view text, bool before) {
  while (text.ends_with('m')) {
    const size_t start = text.rfind('\033');
    if (start == text.npos) break;
    const std::string_view parameters = text.substr(start + 1, text.size() - start - 2);
    if (parameters.find_first_not_of("[0123456789;") != parameters.npos) break;
    text = text.substr(0, start);
  }
  return text.empty() ? before : !text.ends_with('\n');
}

bool IsSameFile(int one, int other) {
  struct stat first {};
  struct stat second {};
  return ::fstat(one, &first) == 0 && ::fstat(other, &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

}  // namespace

Output::Output(cursorwire::connect::Redactor redactor)
    : redactor_(std::move(redactor)),
      output_(STDOUT_FILENO),
      errors_(STDERR_FILENO),
      shares_file_(!output_.is_terminal() && IsSameFile(STDOUT_FILENO, STDERR_FILENO)) {}

void Output::LimitWaits(const std::stop_token& stop,
                        cursor_apps::WriteLimit::Clock::time_point end) {
  limit_.emplace(stop, end);
}

void Output::Write(std::string_view text) {
  if (text.empty()) return;
  used_ = true;
  if (!is_terminal()) {
    file_ends_in_line_ = !text.ends_with('\n');
    return WriteBytes(text);
  }
  WriteShown(cursor_apps::VisibleText(text));
}

void Output::WriteShown(std::string_view text) {
  if (text.empty()) return;
  const Terminal::Hold hold = terminal_.Take();
  WriteHeld(text);
}

bool Output::WriteShownAfter(size_t lines_started, std::string_view text) {
  const Terminal::Hold hold = terminal_.Take();
  if (lines_started_ != lines_started) return false;
  if (!text.empty()) WriteHeld(text);
  return true;
}

void Output::WriteHeld(std::string_view text) {
  used_ = true;
  RemoveStatus();
  WriteBytes(text);
  in_line_ = EndsInLine(text, in_line_);
}

void Output::ShowStatus(std::string_view line, const std::stop_token& stop) {
  const Terminal::Hold hold = terminal_.Take(stop);
  if (!hold || in_line_) return;
  if (line.empty()) return RemoveStatus();
  output_.Write("\r" + std::string(line) + "\033[K", *limit_);  // a failure shows in the next write
  status_shown_ = true;
}

void Output::RemoveStatus() {
  if (!status_shown_) return;
  status_shown_ = false;
  output_.Write("\r\033[K", *limit_);  // likewise
}

void Output::WriteError(std::string_view text) {
  std::string line;
  if (shares_file_ && file_ends_in_line_.exchange(false)) {
    line = "\n" + std::string(text);
    text = line;
  }
  if (drops_unread_errors_) {
    errors_.WriteAtOnce(text);
    return;
  }
  if (errors_are_read_) errors_are_read_ = errors_.Write(text, *limit_) != ETIMEDOUT;
}

Terminal::Hold Output::StartLine(const std::stop_token& stop) {
  Terminal::Hold hold = terminal_.Take(stop);
  if (!hold) return hold;
  ++lines_started_;
  RemoveStatus();
  if (!in_line_) return hold;
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
