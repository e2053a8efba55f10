#include "common/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <ctime>
#include <utility>

#include "common/exit_code.h"
#include "common/start_thread.h"

namespace cursor_apps {
namespace {

constexpr std::chrono::milliseconds kLastWorkLook{20};

bool IsIgnored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Interrupt::Scope::Scope(Interrupt& interrupt, std::function<void()> action)
    : interrupt_(interrupt) {
  interrupt_.SetAction(std::move(action));
}

Interrupt::Scope::~Scope() { interrupt_.SetAction(nullptr); }

Interrupt::Filter::Filter(Interrupt& interrupt, std::function<bool(int signal)> takes)
    : interrupt_(interrupt) {
  interrupt_.SetFilter(std::move(takes));
}

Interrupt::Filter::~Filter() { interrupt_.SetFilter(nullptr); }

Interrupt::ExitScope::ExitScope(Interrupt& interrupt, std::function<void()> restore)
    : interrupt_(interrupt) {
  interrupt_.SetRestore(std::move(restore));
}

Interrupt::ExitScope::~ExitScope() { interrupt_.SetRestore(nullptr); }

Interrupt::Interrupt(std::function<void()> before_exit, std::function<bool()> is_busy)
    : before_exit_(std::move(before_exit)), is_busy_(std::move(is_busy)) {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  for (const int signal : {SIGHUP, SIGQUIT}) {
    if (!IsIgnored(signal)) sigaddset(&signals_, signal);  // ignored signals stay so: nohup, shells
  }
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  // The thread blocks all other signals too: they are for whoever waits for them.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (!StartThread(thread_, [this] { Wait(); })) {
    status_ = NoThreadError();
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Interrupt::~Interrupt() {
  done_ = true;
  if (!thread_.joinable()) return;
  pthread_kill(thread_.native_handle(), SIGINT);  // ends the thread's wait
  thread_.join();
}

void Interrupt::SetAction(std::function<void()> action) {
  const std::lock_guard lock(mutex_);
  action_ = std::move(action);
}

void Interrupt::SetFilter(std::function<bool(int signal)> takes) {
  const std::lock_guard lock(mutex_);
  takes_ = std::move(takes);
}

void Interrupt::SetRestore(std::function<void()> restore) {
  const std::lock_guard lock(mutex_);
  restore_ = std::move(restore);
}

void Interrupt::AwaitLastWork() const {
  const auto end = std::chrono::steady_clock::now() + kLastWork;
  const timespec look{.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(kLastWorkLook).count()};
  while (is_busy_() && std::chrono::steady_clock::now() < end) {
    if (sigtimedwait(&signals_, nullptr, &look) > 0) return;
  }
}

void Interrupt::Wait() {
  for (;;) {
    int signal = 0;
    sigwait(&signals_, &signal);
    if (done_) return;
    const std::lock_guard lock(mutex_);
    if (takes_ != nullptr && takes_(signal)) continue;
    const bool again = signal_ != 0;
    if (!again) signal_ = signal;
    if (again || action_ == nullptr) {
      before_exit_();
      if (restore_ != nullptr) restore_();
      if (!again) AwaitLastWork();
      _exit(kExitSignal + signal_);
    }
    action_();
  }
}

}  // namespace cursor_apps
