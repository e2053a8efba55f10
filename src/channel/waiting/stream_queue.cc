#include "channel/waiting/stream_queue.h"

#include <utility>

#include "channel/loop/consumer_role.h"
#include "cursorwire/connect/call_options.h"

namespace cursorwire::connect {
namespace {

// Counts the calling thread as waiting for something of `call`.
class RoleWait {
 public:
  explicit RoleWait(const Call& call) : role_(call) { role_.BeginWait(); }
  ~RoleWait() { role_.EndWait(); }
  RoleWait(const RoleWait&) = delete;
  RoleWait& operator=(const RoleWait&) = delete;

 private:
  internal::ConsumerRole role_;
};

}  // namespace

ResponseHead Stream::Queue::WaitForHead(const Call& call) {
  const RoleWait wait(call);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return head_.has_value() || ended_; });
  return head_.value_or(ResponseHead{});
}

Headers Stream::Queue::trailers() const {
  const std::lock_guard lock(mutex_);
  return trailers_;
}

void Stream::Queue::WaitUntilWritable(const Call& call) {
  if (call.unsent_bytes() <= kSendHighWater) return;
  const RoleWait wait(call);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_ || call.unsent_bytes() <= kSendHighWater; });
}

void Stream::Queue::OnHead(ResponseHead head) {
  const std::lock_guard lock(mutex_);
  head_ = std::move(head);
  changed_.notify_all();
}

void Stream::Queue::OnMessage(const MessageView& message) {
  messages_.Push(message.bytes, message.credit);
}

void Stream::Queue::OnWritable() {
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void Stream::Queue::OnEnd(CallEnd end) {
  {
    const std::lock_guard lock(mutex_);
    trailers_ = std::move(end.trailers);
    ended_ = true;
    changed_.notify_all();
  }
  // After the trailers, which are there once the last element was popped.
  messages_.Close(std::move(end.status));
}

}  // namespace cursorwire::connect
