#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_TURN_STOP_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_TURN_STOP_H_

#include <functional>
#include <mutex>

namespace cursor_chat {

// What Ctrl-C means between two prompts: the first one stops what is under way, the second one is
// for the caller, who leaves. Thread-safe.
class TurnStop {
 public:
  // Something is under way while it lives.
  class Busy {
   public:
    explicit Busy(TurnStop& stop) : stop_(stop) { stop_.Set(true); }
    ~Busy() { stop_.Set(false); }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    TurnStop& stop_;
  };
  // `cancel` stops it, while this lives; it must not block. Called at once if Ctrl-C came before.
  class Cancel {
   public:
    Cancel(TurnStop& stop, std::function<void()> cancel);
    ~Cancel();
    Cancel(const Cancel&) = delete;
    Cancel& operator=(const Cancel&) = delete;

   private:
    TurnStop& stop_;
  };

  // False: nothing is under way, or it was stopped before.
  bool OnInterrupt();
  // Since Busy began.
  bool stopped() const;

 private:
  void Set(bool busy);

  mutable std::mutex mutex_;
  bool busy_ = false;             // guarded by mutex_
  bool stopped_ = false;          // guarded by mutex_
  std::function<void()> cancel_;  // guarded by mutex_
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_TURN_STOP_H_
