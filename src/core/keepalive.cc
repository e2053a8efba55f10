#include "core/keepalive.h"

#include <utility>

namespace cursorwire::core {

void Keepalive::Start(TimePoint now) {
  if (interval_.count() > 0 && !silent_since_) silent_since_ = now;
}

void Keepalive::Stop() {
  silent_since_.reset();
  pinged_at_.reset();
}

bool Keepalive::OnReceived(TimePoint now) {
  if (silent_since_) silent_since_ = now;
  return std::exchange(pinged_at_, std::nullopt).has_value();
}

std::optional<connect::TimePoint> Keepalive::NextDeadline() const {
  if (pinged_at_) return connect::After(*pinged_at_, timeout_);
  if (silent_since_) return connect::After(*silent_since_, interval_);
  return std::nullopt;
}

Keepalive::Verdict Keepalive::Check(TimePoint now) {
  const std::optional<TimePoint> due = NextDeadline();
  if (!due || *due > now) return Verdict::kAlive;
  if (pinged_at_) return Verdict::kDead;
  if (timeout_.count() > 0) {
    pinged_at_ = now;
  } else {
    silent_since_ = now;
  }
  return Verdict::kPing;
}

}  // namespace cursorwire::core
