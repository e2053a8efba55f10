#include "terminal_session/turn_stop.h"

#include <utility>

namespace cursor_chat {

TurnStop::Cancel::Cancel(TurnStop& stop, std::function<void()> cancel) : stop_(stop) {
  const std::lock_guard lock(stop_.mutex_);
  stop_.cancel_ = std::move(cancel);
  if (stop_.stopped_) stop_.cancel_();
}

TurnStop::Cancel::~Cancel() {
  const std::lock_guard lock(stop_.mutex_);
  stop_.cancel_ = nullptr;
}

bool TurnStop::OnInterrupt() {
  const std::lock_guard lock(mutex_);
  if (!busy_ || stopped_) return false;
  stopped_ = true;
  if (cancel_) cancel_();
  return true;
}

bool TurnStop::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

void TurnStop::Set(bool busy) {
  const std::lock_guard lock(mutex_);
  busy_ = busy;
  stopped_ = false;
}

}  // namespace cursor_chat
