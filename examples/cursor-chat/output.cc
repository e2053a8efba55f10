#include "output.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <system_error>
#include <utility>

#include "visible_text.h"

namespace cursor_chat {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPatience{500};
// A pipe that takes a byte takes so many at once; of a terminal nothing is promised.
constexpr size_t kPipePieceBytes = PIPE_BUF;
constexpr size_t kTerminalPieceBytes = 256;

// For poll(): not too early, and 0 if it is past.
int MillisecondsTo(steady_clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - steady_clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, std::numeric_limits<int>::max()));
}

}  // namespace

Output::Patience::Patience(Output& output, const std::stop_token& stop,
                           std::optional<steady_clock::time_point> deadline)
    : output_(output),
      stop_(stop),
      end_(deadline ? std::optional(*deadline + kPatience) : deadline) {
  output_.patience_ = this;
}

Output::Patience::~Patience() { output_.patience_ = nullptr; }

Output::Output(cursorwire::connect::Redactor redactor)
    : redactor_(std::move(redactor)), is_terminal_(::isatty(STDOUT_FILENO) != 0) {}

void Output::Write(std::string_view text) {
  if (text.empty()) return;
  used_ = true;
  if (!is_terminal_) return WriteBytes(text);
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
  const size_t piece = is_terminal_ ? kTerminalPieceBytes : kPipePieceBytes;
  while (status_.ok() && !bytes.empty()) {
    if (!AwaitReader()) return;
    const ssize_t count = ::write(STDOUT_FILENO, bytes.data(), std::min(bytes.size(), piece));
    if (count >= 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
    } else if (errno != EINTR && errno != EAGAIN && errno != EWOULDBLOCK) {
      Fail(errno);
    }
  }
}

bool Output::AwaitReader() {
  for (;;) {
    const bool may_stop = patience_ != nullptr && !patience_->stopped_;
    pollfd events[] = {{STDOUT_FILENO, POLLOUT, 0},
                       {may_stop ? patience_->stop_.fd() : -1, POLLIN, 0}};
    const auto end = patience_ == nullptr ? std::nullopt : patience_->end_;
    const int count = ::poll(events, std::size(events), end ? MillisecondsTo(*end) : -1);
    if (count < 0 && errno != EINTR) return true;  // the write will tell
    if (count > 0 && events[0].revents != 0) return true;
    if (count > 0) {
      patience_->stopped_ = true;
      patience_->end_ = steady_clock::now() + kPatience;
    } else if (end && *end <= steady_clock::now()) {
      status_ = patience_->stopped_
                    ? absl::CancelledError("stopped while nobody read standard output")
                    : absl::DeadlineExceededError("nobody read standard output in time");
      return false;
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
