#include "cursorwire/connect/call.h"

#include "channel/waiting/credit_account.h"

namespace cursorwire::connect {

CreditHold::~CreditHold() {
  if (account_ != nullptr) account_->Return(credit_);
}

}  // namespace cursorwire::connect
