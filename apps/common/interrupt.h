#ifndef CURSORWIRE_APPS_COMMON_INTERRUPT_H_
#define CURSORWIRE_APPS_COMMON_INTERRUPT_H_

#include <absl/status/status.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>

namespace cursor_apps {

// What must not be broken off has so much time after a signal.
inline constexpr std::chrono::milliseconds kLastWork{2'000};

// Turns Ctrl-C (SIGINT) into a call of a function on a thread of its own, where everything is
// allowed. The same for SIGTERM, and for SIGHUP and SIGQUIT (Ctrl-\) unless they are ignored.
// Without a function, and on the second signal, the process ends at once. Create it before any
// other thread, since threads inherit that they do not receive these signals.
class Interrupt {
 public:
  // While it lives, the first signal calls `action`.
  class Scope {
   public:
    Scope(Interrupt& interrupt, std::function<void()> action);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Interrupt& interrupt_;
  };

  // While it lives, each signal is first given to `takes`. If that returns true, the signal is
  // dealt with, and does not count.
  class Filter {
   public:
    Filter(Interrupt& interrupt, std::function<bool(int signal)> takes);
    ~Filter();
    Filter(const Filter&) = delete;
    Filter& operator=(const Filter&) = delete;

   private:
    Interrupt& interrupt_;
  };

  // While it lives, `restore` is called before the process ends at once, after `before_exit`. It
  // must not block for long.
  class ExitScope {
   public:
    ExitScope(Interrupt& interrupt, std::function<void()> restore);
    ~ExitScope();
    ExitScope(const ExitScope&) = delete;
    ExitScope& operator=(const ExitScope&) = delete;

   private:
    Interrupt& interrupt_;
  };

  // `before_exit` is called before the process ends at once, and must not block for long. While
  // `is_busy` is true, the end waits for it: for kLastWork, and until another signal.
  explicit Interrupt(
      std::function<void()> before_exit, std::function<bool()> is_busy = [] { return false; });
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  //   kUnavailable  the system starts no more threads: nobody hears signals
  const absl::Status& status() const { return status_; }
  // The first signal that came; 0: no signal came.
  int signal() const { return signal_; }

 private:
  void Wait();
  void AwaitLastWork() const;
  void SetAction(std::function<void()> action);
  void SetRestore(std::function<void()> restore);
  void SetFilter(std::function<bool(int signal)> takes);

  const std::function<void()> before_exit_;
  const std::function<bool()> is_busy_;
  sigset_t signals_{};
  std::atomic<int> signal_ = 0;
  std::atomic<bool> done_ = false;
  std::mutex mutex_;
  std::function<void()> action_;           // guarded by mutex_
  std::function<bool(int signal)> takes_;  // guarded by mutex_
  std::function<void()> restore_;          // guarded by mutex_
  absl::Status status_;
  std::thread thread_;
};

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_INTERRUPT_H_
