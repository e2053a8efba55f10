#include "channel/loop/consumer_role.h"

#include <utility>

#include "channel/loop/driver.h"
#include "channel/loop/poll_role.h"

namespace cursorwire::connect::internal {

ConsumerRole::ConsumerRole(const Call& call) : call_(&call), role_(Driver::RoleOf(call)) {}

bool ConsumerRole::TakeOrWait() const { return role_ != nullptr && role_->TakeOrWait(); }

void ConsumerRole::DriveUntil(absl::FunctionRef<bool()> done) const {
  Driver::DriveUntil(*call_, done);
}

void ConsumerRole::BeginWait() const {
  if (role_ != nullptr) role_->BeginWait();
}

void ConsumerRole::EndWait() {
  if (role_ != nullptr) std::exchange(role_, nullptr)->EndWait();
}

}  // namespace cursorwire::connect::internal
