#include "output/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <utility>

namespace cursor_chat {

Terminal::Hold::Hold(Hold&& other) noexcept : terminal_(std::exchange(other.terminal_, nullptr)) {}

Terminal::Hold::~Hold() {
  if (terminal_ != nullptr) terminal_->GiveBack();
}

Terminal::Hold Terminal::Take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  if (!free_.wait(lock, stop, [this] { return !held_; }) || stop.stop_requested()) return {};
  held_ = true;
  return Hold(this);
}

void Terminal::GiveBack() {
  {
    const std::lock_guard lock(mutex_);
    held_ = false;
  }
  free_.notify_all();
}

TerminalSize SizeOf(int fd) {
  TerminalSize size;
  winsize said{};
  if (::ioctl(fd, TIOCGWINSZ, &said) != 0) return size;
  if (said.ws_col != 0) size.columns = said.ws_col;
  if (said.ws_row != 0) size.rows = said.ws_row;
  return size;
}

bool IsForeground(int fd) {
  const pid_t group = ::tcgetpgrp(fd);
  return group < 0 || group == ::getpgrp();
}

}  // namespace cursor_chat
