#include "channel/async_call.h"

#include <iterator>

#include "base/error.h"

namespace cursorwire::connect {

void AsyncCall::Attach(const Call& call) {
  const std::lock_guard lock(mutex_);
  call_ = call;
}

bool AsyncCall::IsReady(For what) const {
  const std::lock_guard lock(mutex_);
  // What a coroutine waits for is not for others to take.
  return places_[static_cast<size_t>(what)].ticket == 0 && Has(what);
}

AsyncCall::Suspension AsyncCall::Suspend(For what, std::coroutine_handle<> coroutine,
                                         uint64_t& ticket) {
  const std::lock_guard lock(mutex_);
  Place& place = PlaceOf(what);
  if (place.ticket != 0) return Suspension::kTaken;
  if (Has(what)) return Suspension::kReady;
  ticket = ++last_ticket_;
  place = {.coroutine = coroutine, .ticket = ticket};
  return Suspension::kSuspended;
}

void AsyncCall::Leave(For what, uint64_t ticket) {
  const std::lock_guard lock(mutex_);
  if (PlaceOf(what).ticket == ticket) PlaceOf(what) = {};
}

void AsyncCall::DropMessages() {
  const std::lock_guard lock(mutex_);
  dropping_ = true;
}

std::optional<AsyncCall::Message> AsyncCall::TakeReady() {
  if (told_end_) return std::nullopt;
  bool dropped = false;
  size_t dropped_credit = 0;
  while (dropping_ && !ready_.empty() && ready_.front().bytes.ok()) {
    dropped_credit += ready_.front().credit;
    ready_.pop_front();
    dropped = true;
  }
  std::optional<Message> message;
  if (!ready_.empty()) {
    message = std::move(ready_.front());
    ready_.pop_front();
  } else if (dropping_ && (dropped || !ended_)) {
    message = {.bytes = CancelledByCaller()};
  }
  if (message) message->credit += dropped_credit;
  told_end_ = !message || !message->bytes.ok();
  return message;
}

std::optional<absl::StatusOr<std::string>> AsyncCall::TakeMessage() {
  std::optional<Message> message;
  {
    const std::lock_guard lock(mutex_);
    message = TakeReady();
  }
  if (!message) return std::nullopt;
  if (message->credit > 0) account_->Add(message->credit);
  return std::move(message->bytes);
}

ResponseHead AsyncCall::head() const {
  const std::lock_guard lock(mutex_);
  return head_.value_or(ResponseHead{});
}

Headers AsyncCall::trailers() const {
  const std::lock_guard lock(mutex_);
  return trailers_;
}

void AsyncCall::OnHead(ResponseHead head) {
  const std::lock_guard lock(mutex_);
  head_ = std::move(head);
}

void AsyncCall::OnMessage(const MessageView& message) {
  incoming_.push_back({.bytes = std::string(message.bytes), .credit = message.credit});
}

void AsyncCall::OnBatchEnd() {
  {
    const std::lock_guard lock(mutex_);
    MoveIncoming();
  }
  ResumeReady();
}

void AsyncCall::OnEnd(CallEnd end) {
  {
    const std::lock_guard lock(mutex_);
    MoveIncoming();
    if (!end.status.ok()) ready_.push_back({.bytes = end.status});
    trailers_ = std::move(end.trailers);
    ended_ = true;
  }
  ResumeReady();
}

bool AsyncCall::Has(For what) const {
  if (ended_) return true;
  switch (what) {
    case For::kHead:
      return head_.has_value();
    case For::kMessage:
      return !ready_.empty() || dropping_;
    case For::kWritable:
      return call_.unsent_bytes() <= Call::kSendHighWater;
    case For::kEnd:
      return false;
  }
  return false;
}

void AsyncCall::MoveIncoming() {
  std::move(incoming_.begin(), incoming_.end(), std::back_inserter(ready_));
  incoming_.clear();
}

void AsyncCall::ResumeReady() {
  for (const For what : {For::kHead, For::kMessage, For::kWritable, For::kEnd}) ResumeReady(what);
}

void AsyncCall::ResumeReady(For what) {
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

void AsyncCall::Resume(For what, uint64_t ticket) {
  std::coroutine_handle<> coroutine;
  {
    const std::lock_guard lock(mutex_);
    if (PlaceOf(what).ticket != ticket) return;
    coroutine = std::exchange(PlaceOf(what).coroutine, {});
  }
  if (coroutine) coroutine.resume();
}

}  // namespace cursorwire::connect
