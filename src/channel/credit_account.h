#ifndef CURSORWIRE_SRC_CHANNEL_CREDIT_ACCOUNT_H_
#define CURSORWIRE_SRC_CHANNEL_CREDIT_ACCOUNT_H_

#include <atomic>
#include <cstddef>
#include <utility>

#include "cursorwire/connect/call.h"

namespace cursorwire::connect::internal {

// Flow-control credit of the messages of one call: what its user holds, and what is on its way back
// to the server. It goes back in portions of a quarter of the window: more often would wake the
// holder of the poll role without the server being told. Thread-safe.
class CreditAccount {
 public:
  explicit CreditAccount(Call call)
      : call_(std::move(call)), window_bytes_(call_.window_bytes()), portion_(window_bytes_ / 4) {}

  // A message is on its way to the user.
  void Take(size_t credit) { held_.fetch_add(credit, std::memory_order_relaxed); }
  // The user is done with what was taken.
  void Return(size_t credit) {
    if (credit == 0 || returned_.fetch_add(credit) + credit < portion_) return;
    const size_t portion = returned_.exchange(0);
    held_.fetch_sub(portion, std::memory_order_relaxed);
    call_.ReleaseCredit(portion);
  }

  // Whether the user holds so much of the window that the server may have to wait.
  bool holds_peer_up() const { return held_.load(std::memory_order_relaxed) >= window_bytes_ / 2; }

 private:
  const Call call_;
  const size_t window_bytes_;
  const size_t portion_;
  std::atomic<size_t> held_ = 0;      // taken, and not on its way back
  std::atomic<size_t> returned_ = 0;  // waits for a portion to be full
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_CREDIT_ACCOUNT_H_
