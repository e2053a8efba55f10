#include "terminal.h"

#include <sys/ioctl.h>

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

size_t ColumnsOf(int fd) {
  constexpr size_t kUsual = 80;
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

}  // namespace cursor_chat
