#include "cursorwire/connect/call.h"

#include <utility>

#include "base/error.h"
#include "channel/loop/driver.h"

namespace cursorwire::connect {

absl::Status Call::Send(std::string message) const {
  if (state_ == nullptr) {
    return LocalError(absl::StatusCode::kFailedPrecondition, "the call has ended");
  }
  return state_->driver->Send(state_, std::move(message));
}

void Call::CloseSend() const {
  if (state_ != nullptr) state_->driver->CloseSend(state_);
}

void Call::Cancel() const {
  if (state_ != nullptr) state_->driver->Cancel(state_);
}

void Call::ReleaseCredit(size_t credit) const {
  if (state_ != nullptr) state_->driver->ReleaseCredit(state_, credit);
}

void Call::SetAlarm(std::optional<TimePoint> time) const {
  if (state_ != nullptr) state_->driver->SetAlarm(state_, time);
}

void Call::Wake() const {
  if (state_ != nullptr) state_->driver->WakeCall(state_);
}

size_t Call::unsent_bytes() const {
  return state_ == nullptr || state_->ended ? 0 : state_->unsent_bytes.load();
}

size_t Call::window_bytes() const {
  return state_ == nullptr ? 0 : state_->driver->stream_window_bytes();
}

}  // namespace cursorwire::connect
