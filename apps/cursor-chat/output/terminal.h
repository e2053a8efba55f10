#ifndef CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_TERMINAL_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_TERMINAL_H_

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>

namespace cursor_chat {

// The user's terminal, shared by the answer, notices and questions. Only the thread that holds it
// may write to it. Thread-safe.
class Terminal {
 public:
  // Releases the terminal when destroyed.
  class Hold {
   public:
    Hold() = default;
    ~Hold();
    Hold(Hold&& other) noexcept;
    Hold& operator=(Hold&&) = delete;

    explicit operator bool() const { return terminal_ != nullptr; }

   private:
    friend class Terminal;
    explicit Hold(Terminal* terminal) : terminal_(terminal) {}

    Terminal* terminal_ = nullptr;
  };

  // Waits until the terminal is free. Empty if `stop` was requested.
  Hold Take(const std::stop_token& stop = {});

 private:
  void GiveBack();

  std::mutex mutex_;
  std::condition_variable_any free_;
  bool held_ = false;  // guarded by mutex_
};

// The size of an open terminal, by its descriptor; 80 by 24 if it is unknown.
struct TerminalSize {
  size_t columns = 80;
  size_t rows = 24;
};
TerminalSize SizeOf(int fd);
// The terminal is this process's, or not one that has a foreground.
bool IsForeground(int fd);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_TERMINAL_H_
