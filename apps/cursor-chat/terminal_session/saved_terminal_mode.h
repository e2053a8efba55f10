#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_SAVED_TERMINAL_MODE_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_SAVED_TERMINAL_MODE_H_

#include <termios.h>

namespace cursor_chat {

// The mode of the process's terminal as this program found it. Thread-safe.
class SavedTerminalMode {
 public:
  // Whether the terminal marks pastes, which Restore() switches off.
  enum class Paste { kPlain, kBracketed };
  // `fd` must be a terminal and stay open.
  SavedTerminalMode(int fd, Paste paste);
  // Restores the mode.
  ~SavedTerminalMode();
  SavedTerminalMode(const SavedTerminalMode&) = delete;
  SavedTerminalMode& operator=(const SavedTerminalMode&) = delete;

  // For the time of a turn: keys are not echoed into the answer, and wait for the next prompt.
  // Ctrl-C and the like still are signals.
  void Quiet() const;
  void Restore() const;
  // For the thread that ends the process: from then on, whoever wants to change the mode waits. In
  // the background it does nothing: the terminal is another's, who stops those that change it.
  void RestoreForGood() const;

 private:
  void SetSavedMode() const;

  const int fd_;
  const Paste paste_;
  termios mode_{};
  const bool known_;  // initialized after mode_, which it is read into
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_SAVED_TERMINAL_MODE_H_
