#ifndef CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_TERMINAL_MODE_MUTEX_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_TERMINAL_MODE_MUTEX_H_

#include <mutex>

namespace cursor_chat {

// Held by whoever changes the mode of the process's terminal, for the time of the change. The
// thread that ends the process takes it and keeps it, so that no other thread changes the mode
// after it.
inline std::timed_mutex& TerminalModeMutex() {
  static std::timed_mutex mutex;
  return mutex;
}

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_TERMINAL_MODE_MUTEX_H_
