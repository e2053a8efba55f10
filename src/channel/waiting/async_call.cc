#include "channel/waiting/async_call.h"

namespace cursorwire::connect::internal {

void AsyncCall::Attach(const Call& call) {
  const std::lock_guard lock(mutex_);
  call_ = call;
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

void AsyncCall::OnBatchEnd() {
  messages_.Flush();
  ResumeReady();
}

void AsyncCall::OnEnd(CallEnd end) {
  {
    const std::lock_guard lock(mutex_);
    trailers_ = std::move(end.trailers);
    ended_ = true;
  }
  // After the trailers, which are there once the last element was taken.
  messages_.Close(std::move(end.status));
  ResumeReady();
}

bool AsyncCall::Has(For what) const {
  if (what == For::kMessage) return messages_.ready();
  const std::lock_guard lock(mutex_);
  if (ended_) return true;
  switch (what) {
    case For::kHead:
      return head_.has_value();
    case For::kWritable:
      return call_.unsent_bytes() <= kSendHighWater;
    case For::kMessage:
    case For::kEnd:
      return false;
  }
  return false;
}

}  // namespace cursorwire::connect::internal
