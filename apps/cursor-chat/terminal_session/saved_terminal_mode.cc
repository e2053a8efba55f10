#include "terminal_session/saved_terminal_mode.h"

#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <string_view>

#include "output/terminal.h"
#include "output/terminal_mode_mutex.h"

namespace cursor_chat {
namespace {

// How long the end of the process waits for a change of the mode, which blocks on a stopped
// terminal.
constexpr std::chrono::milliseconds kMaxModeWait{200};

}  // namespace

SavedTerminalMode::SavedTerminalMode(int fd, Paste paste)
    : fd_(fd), paste_(paste), known_(::tcgetattr(fd, &mode_) == 0) {}

SavedTerminalMode::~SavedTerminalMode() { Restore(); }

void SavedTerminalMode::Quiet() const {
  if (!known_) return;
  termios quiet = mode_;
  quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON);
  // So that Enter stays what it is: the line editor tells it from Ctrl-J.
  quiet.c_iflag &= ~static_cast<tcflag_t>(ICRNL);
  quiet.c_cc[VMIN] = 1;
  quiet.c_cc[VTIME] = 0;
  const std::lock_guard lock(TerminalModeMutex());
  ::tcsetattr(fd_, TCSADRAIN, &quiet);
}

void SavedTerminalMode::Restore() const {
  const std::lock_guard lock(TerminalModeMutex());
  SetSavedMode();
}

void SavedTerminalMode::RestoreForGood() const {
  if (!IsForeground(fd_)) return;
  // Never unlocked. Without it, the mode is restored as well as can be.
  [[maybe_unused]] const bool locked = TerminalModeMutex().try_lock_for(kMaxModeWait);
  SetSavedMode();
}

void SavedTerminalMode::SetSavedMode() const {
  if (!known_) return;
  ::tcsetattr(fd_, TCSANOW, &mode_);
  if (paste_ == Paste::kPlain) return;
  // One that is stopped, as with Ctrl-S, would take it only when it goes on.
  pollfd output{.fd = fd_, .events = POLLOUT, .revents = 0};
  if (::poll(&output, 1, 0) <= 0 || (output.revents & POLLOUT) == 0) return;
  constexpr std::string_view kOff = "\033[?2004l";
  // Where this fails, nobody is left to see it.
  [[maybe_unused]] const ssize_t written = ::write(fd_, kOff.data(), kOff.size());
}

}  // namespace cursor_chat
