#include "agent/history/state_protection.h"

#include <utility>

#include "agent/history/state_blobs.h"

namespace cursorwire::agent {

StateProtection::~StateProtection() {
  if (applied_) blobs_->Protect(owner_, {});
}

void StateProtection::Set(std::string state) {
  state_ = std::move(state);
  if (state_.empty() && std::exchange(applied_, false)) blobs_->Protect(owner_, {});
}

void StateProtection::ApplyIfNeeded() {
  if (!state_.empty() && blobs_->IsHalfFull()) Apply();
}

void StateProtection::Apply() {
  if (state_.empty()) return;
  blobs_->Protect(owner_, FindStateBlobs(std::exchange(state_, {}), *blobs_).found);
  applied_ = true;
}

}  // namespace cursorwire::agent
