#include "terminal_session/saved_terminal_mode.h"

#include <unistd.h>

#include <string_view>

namespace cursor_chat {

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
  ::tcsetattr(fd_, TCSADRAIN, &quiet);
}

void SavedTerminalMode::Restore() const {
  if (!known_) return;
  ::tcsetattr(fd_, TCSANOW, &mode_);
  if (paste_ == Paste::kPlain) return;
  constexpr std::string_view kOff = "\033[?2004l";
  // Where this fails, nobody is left to see it.
  [[maybe_unused]] const ssize_t written = ::write(fd_, kOff.data(), kOff.size());
}

}  // namespace cursor_chat
