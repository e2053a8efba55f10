#include "channel/loop/poll_role.h"

#include <algorithm>
#include <utility>

namespace cursorwire::connect::internal {

bool PollRole::TakeOrWait() {
  const std::lock_guard lock(mutex_);
  if (TakeIfFree()) {
    ++takings_;
    return true;
  }
  ++waiting_;
  if (vacant()) Call();
  return false;
}

void PollRole::BeginWait() {
  const std::lock_guard lock(mutex_);
  ++waiting_;
  if (vacant()) Call();
}

void PollRole::EndWait() {
  const std::lock_guard lock(mutex_);
  --waiting_;
  served_ = true;
}

PollRole::Next PollRole::AfterPost() {
  const std::lock_guard lock(mutex_);
  if (held_here()) return Next::kNothing;
  if (!vacant()) return Next::kWakeHolder;
  if (TakeIfFree()) {
    held_for_command_ = true;
    return Next::kDrive;
  }
  Call();
  return Next::kNothing;
}

void PollRole::Leave() {
  const std::lock_guard lock(mutex_);
  holder_ = std::thread::id();
  held_for_command_ = false;
  if (needs_background() || tell_when_vacant_) background_.notify_one();
}

void PollRole::CallBackground() {
  const std::lock_guard lock(mutex_);
  if (vacant()) Call();
}

void PollRole::Reserve() {
  const std::lock_guard lock(mutex_);
  ++reservations_;
  if (vacant()) background_.notify_one();
}

void PollRole::Unreserve() {
  const std::lock_guard lock(mutex_);
  --reservations_;
}

void PollRole::StartInBackground() {
  const std::lock_guard lock(mutex_);
  TakeInBackground();
}

void PollRole::PassOn() {
  std::unique_lock lock(mutex_);
  if (!std::exchange(served_, false) || !open_to_all_ || needs_background()) return;
  holder_ = std::thread::id();
  held_by_background_ = false;
  SleepUntilNeeded(lock);
  TakeInBackground();
}

// No notice is given where the role is left and taken often: it would cost the wake-up that is to
// be saved. So this looks now and then whether consumers still come for it, less often while one
// holds it whenever it is looked for. Only where one has held it for long, as in a silent stream,
// it sleeps until it is told.
void PollRole::SleepUntilNeeded(std::unique_lock<std::mutex>& lock) {
  auto pause = kAbsence;
  int looks_in_one_hold = 0;
  for (;;) {
    const uint64_t seen = takings_;
    background_.wait_for(lock, pause, [this] { return vacant() && needs_background(); });
    if (vacant() && (needs_background() || takings_ == seen)) return;
    if (held_for_command_ && takings_ == seen) {
      // By a thread that posts one command after the other, and would have it again before this one
      // is awake.
      called_ = true;
      return background_.wait(lock, [this] { return vacant(); });
    }
    pause = vacant() ? kAbsence : std::min(2 * pause, kLongestPause);
    looks_in_one_hold = takings_ == seen ? looks_in_one_hold + 1 : 0;
    if (looks_in_one_hold < kLooksInLongHold) continue;
    tell_when_vacant_ = true;
    background_.wait(lock, [this] { return vacant() || held_for_command_; });
    tell_when_vacant_ = false;
    pause = kAbsence;
    looks_in_one_hold = 0;
  }
}

void PollRole::TakeInBackground() {
  holder_ = std::this_thread::get_id();
  held_by_background_ = true;
  called_ = false;
  served_ = false;
}

bool PollRole::TakeIfFree() {
  if (!open_to_all_ || !vacant() || needs_background()) return false;
  holder_ = std::this_thread::get_id();
  return true;
}

void PollRole::Call() {
  called_ = true;
  background_.notify_one();
}

}  // namespace cursorwire::connect::internal
