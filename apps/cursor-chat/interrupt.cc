#include "interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <utility>

#include "exit_code.h"

namespace cursor_chat {
namespace {

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

Interrupt::Interrupt(std::function<void()> before_exit) : before_exit_(std::move(before_exit)) {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  for (const int signal : {SIGHUP, SIGQUIT}) {
    if (!IsIgnored(signal)) sigaddset(&signals_, signal);  // ignored signals stay so: nohup, shells
  }
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  thread_ = std::thread([this] { Wait(); });
}

Interrupt::~Interrupt() {
  done_ = true;
  pthread_kill(thread_.native_handle(), SIGINT);  // ends the thread's wait
  thread_.join();
}

void Interrupt::SetAction(std::function<void()> action) {
  const std::lock_guard lock(mutex_);
  action_ = std::move(action);
}

void Interrupt::Wait() {
  for (;;) {
    int signal = 0;
    sigwait(&signals_, &signal);
    if (done_) return;
    const bool again = signal_ != 0;
    if (!again) signal_ = signal;
    const std::lock_guard lock(mutex_);
    if (again || action_ == nullptr) {
      before_exit_();
      _exit(kExitSignal + signal_);
    }
    action_();
  }
}

}  // namespace cursor_chat
