// Room: src/channel/waiting
#ifndef CURSORWIRE_CONNECT_CREDIT_HOLD_H_
#define CURSORWIRE_CONNECT_CREDIT_HOLD_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "cursorwire/export.h"

namespace cursorwire::connect {

namespace internal {
class CreditAccount;
}

// The flow-control credit of one message, which is the right of the server to send as much again.
// Its destructor gives it back, on any thread, also after the end of the call. It goes to the
// server in portions of a quarter of the call's window.
class CURSORWIRE_EXPORT CreditHold {
 public:
  CreditHold() = default;  // no credit
  CreditHold(std::shared_ptr<internal::CreditAccount> account, size_t credit)
      : account_(std::move(account)), credit_(credit) {}
  CreditHold(CreditHold&& other) noexcept
      : account_(std::move(other.account_)), credit_(std::exchange(other.credit_, 0)) {}
  CreditHold& operator=(CreditHold&& other) noexcept {
    std::swap(account_, other.account_);
    std::swap(credit_, other.credit_);
    return *this;
  }
  ~CreditHold();

 private:
  std::shared_ptr<internal::CreditAccount> account_;  // of the call, shared by its messages
  size_t credit_ = 0;
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_CREDIT_HOLD_H_
