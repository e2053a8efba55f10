#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_H_

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <stop_token>

namespace cursor_chat {

// The user's terminal, which the answer, notices and questions share: who holds it writes to it,
// and nobody else does. Thread-safe.
class Terminal {
 public:
  // Gives it back when it is destroyed.
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

  // Waits until it is free. Empty if `stop` was requested.
  Hold Take(const std::stop_token& stop = {});

 private:
  void GiveBack();

  std::mutex mutex_;
  std::condition_variable_any free_;
  bool held_ = false;  // guarded by mutex_
};

// How large it is, by the descriptor of an open terminal; 80 by 24 where it does not say.
struct TerminalSize {
  size_t columns = 80;
  size_t rows = 24;
};
TerminalSize SizeOf(int fd);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_H_
