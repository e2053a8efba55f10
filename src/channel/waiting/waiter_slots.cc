#include "channel/waiting/waiter_slots.h"

namespace cursorwire::connect::internal {

bool WaiterSlots::IsReady(For what) const {
  const std::lock_guard lock(mutex_);
  // What a coroutine waits for is not for others to take.
  return places_[static_cast<size_t>(what)].ticket == 0 && Has(what);
}

WaiterSlots::Suspension WaiterSlots::Suspend(For what, std::coroutine_handle<> coroutine,
                                             uint64_t& ticket) {
  const std::lock_guard lock(mutex_);
  Place& place = PlaceOf(what);
  if (place.ticket != 0) return Suspension::kTaken;
  if (Has(what)) return Suspension::kReady;
  ticket = ++last_ticket_;
  place = {.coroutine = coroutine, .ticket = ticket};
  return Suspension::kSuspended;
}

void WaiterSlots::Leave(For what, uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  if (PlaceOf(what).ticket == ticket) PlaceOf(what) = {};
}

void WaiterSlots::ResumeReady() {
  for (const For what : {For::kHead, For::kMessage, For::kWritable, For::kEnd}) ResumeReady(what);
}

void WaiterSlots::ResumeReady(For what) {
  uint64_t ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    Place& place = PlaceOf(what);
    if (!place.coroutine || place.in_executor || !Has(what)) return;
    ticket = place.ticket;
    place.in_executor = executor_ != nullptr;
  }
  if (executor_ == nullptr) return Resume(what, ticket);
  executor_([self = shared_from_this(), what, ticket] { self->Resume(what, ticket); });
}

void WaiterSlots::Resume(For what, uint64_t ticket) {
  std::coroutine_handle<> coroutine;
  {
    const std::lock_guard lock(mutex_);
    if (PlaceOf(what).ticket != ticket) return;
    coroutine = std::exchange(PlaceOf(what).coroutine, {});
  }
  if (coroutine) coroutine.resume();
}

}  // namespace cursorwire::connect::internal
