#ifndef CURSORWIRE_EXAMPLES_CURSOR_CHAT_INTERRUPT_H_
#define CURSORWIRE_EXAMPLES_CURSOR_CHAT_INTERRUPT_H_

#include <signal.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

namespace cursor_chat {

// Turns Ctrl-C into a call of a function on a thread of its own, where anything is allowed. Without
// a function, and the second time, Ctrl-C ends the process at once. Make it before any other
// thread: those inherit that they do not get the signal.
class Interrupt {
 public:
  // While it lives, Ctrl-C calls `action`.
  class Scope {
   public:
    Scope(Interrupt& interrupt, std::function<void()> action);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Interrupt& interrupt_;
  };

  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool interrupted() const { return interrupted_; }

 private:
  void Wait();
  void SetAction(std::function<void()> action);

  sigset_t signals_{};
  std::atomic<bool> interrupted_ = false;
  std::atomic<bool> done_ = false;
  std::mutex mutex_;
  std::function<void()> action_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_EXAMPLES_CURSOR_CHAT_INTERRUPT_H_
