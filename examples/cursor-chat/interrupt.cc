#include "interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <utility>

#include "exit_code.h"

namespace cursor_chat {

Interrupt::Scope::Scope(Interrupt& interrupt, std::function<void()> action)
    : interrupt_(interrupt) {
  interrupt_.SetAction(std::move(action));
}

Interrupt::Scope::~Scope() { interrupt_.SetAction(nullptr); }

Interrupt::Interrupt() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  thread_ = std::thread([this] { Wait(); });
}

Interrupt::~Interrupt() {
  done_ = true;
  pthread_kill(thread_.native_handle(), SIGINT);  // ends its wait
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
    const bool again = interrupted_.exchange(true);
    const std::lock_guard lock(mutex_);
    if (again || action_ == nullptr) _exit(kExitInterrupted);
    action_();
  }
}

}  // namespace cursor_chat
