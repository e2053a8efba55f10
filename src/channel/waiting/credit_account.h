#ifndef CURSORWIRE_SRC_CHANNEL_WAITING_CREDIT_ACCOUNT_H_
#define CURSORWIRE_SRC_CHANNEL_WAITING_CREDIT_ACCOUNT_H_

#include <absl/base/thread_annotations.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>

#include "cursorwire/connect/call.h"

namespace cursorwire::connect::internal {

// Flow-control credit of the messages of one call: what its user holds, and what is on its way back
// to the server. It goes back in portions of a quarter of the window: more often would wake the
// holder of the poll role without the server being told. Thread-safe.
class CreditAccount {
 public:
  explicit CreditAccount(Call call)
      : window_bytes_(call.window_bytes()), portion_(window_bytes_ / 4), call_(std::move(call)) {}

  // A message is on its way to the user.
  void Take(size_t credit) { held_.fetch_add(credit, std::memory_order_relaxed); }
  // The user is done with what was taken.
  void Return(size_t credit) {
    if (credit == 0 || returned_.fetch_add(credit) + credit < portion_) return;
    Release();
  }

  // What is taken from now on belongs to another call, on the same channel. Nobody waits for what
  // the user still holds of the former one.
  void MoveTo(Call call) {
    const std::lock_guard lock(mutex_);
    call_ = std::move(call);
    void_ = held_;
  }

  // Whether the user holds so much of the window that the server may have to wait.
  bool holds_peer_up() const { return held_.load(std::memory_order_relaxed) >= window_bytes_ / 2; }

 private:
  void Release() {
    Call call;  // used without the lock: it may run callbacks
    size_t credit = 0;
    {
      const std::lock_guard lock(mutex_);
      credit = returned_.exchange(0);
      held_.fetch_sub(credit, std::memory_order_relaxed);
      const size_t of_former = std::min(void_, credit);
      void_ -= of_former;
      credit -= of_former;
      call = call_;
    }
    call.ReleaseCredit(credit);
  }

  const size_t window_bytes_;
  const size_t portion_;
  std::atomic<size_t> held_ = 0;      // taken, and not on its way back
  std::atomic<size_t> returned_ = 0;  // waits for a portion to be full
  std::mutex mutex_;
  Call call_ ABSL_GUARDED_BY(mutex_);
  size_t void_ ABSL_GUARDED_BY(mutex_) = 0;  // still to come back of a former call
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_WAITING_CREDIT_ACCOUNT_H_
