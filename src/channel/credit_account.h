#ifndef CURSORWIRE_SRC_CHANNEL_CREDIT_ACCOUNT_H_
#define CURSORWIRE_SRC_CHANNEL_CREDIT_ACCOUNT_H_

#include <atomic>
#include <cstddef>
#include <utility>

#include "cursorwire/connect/call.h"

namespace cursorwire::connect {

// Credit of the messages of one call on its way back to the server, in portions of a quarter of the
// window: more often would wake the channel's thread without the server being told. Thread-safe.
class CreditAccount {
 public:
  explicit CreditAccount(Call call) : call_(std::move(call)), portion_(call_.window_bytes() / 4) {}

  void Add(size_t credit) {
    if ((saved_ += credit) >= portion_) call_.ReleaseCredit(saved_.exchange(0));
  }

 private:
  const Call call_;
  const size_t portion_;
  std::atomic<size_t> saved_ = 0;
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_SRC_CHANNEL_CREDIT_ACCOUNT_H_
