#include "cursorwire/connect/stream.h"

#include <utility>

#include "base/error.h"
#include "channel/driver.h"
#include "channel/one_answer.h"
#include "channel/poll_role.h"
#include "channel/stream_queue.h"

namespace cursorwire::connect {

std::optional<absl::StatusOr<std::string>> Stream::Queue::Next(const Call& call) {
  std::optional<absl::StatusOr<std::string>> element = messages_.Pop(call);
  while (dropping_ && element && element->ok()) {
    dropped_ = true;
    element = messages_.Pop(call);
  }
  const bool dropped = std::exchange(dropped_, false);
  // A call that ended well before it was cancelled: without an error its answer would look whole.
  if (dropped && !element) {
    return CancelledByCaller();
  }
  return element;
}

ResponseHead Stream::Queue::WaitForHead(const Call& call) {
  const RoleWait wait(Driver::RoleOf(call));
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return head_.has_value() || ended_; });
  return head_.value_or(ResponseHead{});
}

Headers Stream::Queue::trailers() const {
  const std::lock_guard lock(mutex_);
  return trailers_;
}

void Stream::Queue::WaitUntilWritable(const Call& call) {
  if (call.unsent_bytes() <= Call::kSendHighWater) return;
  const RoleWait wait(Driver::RoleOf(call));
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_ || call.unsent_bytes() <= Call::kSendHighWater; });
}

void Stream::Queue::OnHead(ResponseHead head) {
  const std::lock_guard lock(mutex_);
  head_ = std::move(head);
  changed_.notify_all();
}

void Stream::Queue::OnMessage(const MessageView& message) {
  messages_.Push(std::string(message.bytes), message.credit);
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
  if (!end.status.ok()) messages_.Push(end.status, 0);
  messages_.Close();
}

Stream::Stream(Call call, std::shared_ptr<Queue> queue)
    : call_(std::move(call)), queue_(std::move(queue)) {}
Stream::Stream(Stream&&) noexcept = default;

Stream& Stream::operator=(Stream&& other) noexcept {
  if (this != &other) {
    call_.Cancel();
    call_ = std::exchange(other.call_, Call());
    queue_ = std::move(other.queue_);
  }
  return *this;
}

Stream::~Stream() { call_.Cancel(); }

absl::Status Stream::Send(std::string message) {
  queue_->WaitUntilWritable(call_);
  return call_.Send(std::move(message));
}

void Stream::CloseSend() { call_.CloseSend(); }
std::optional<absl::StatusOr<std::string>> Stream::Next() { return queue_->Next(call_); }

absl::StatusOr<UnaryResponse> Stream::CloseAndReceive() {
  CloseSend();
  OneAnswer answer;
  while (std::optional<absl::StatusOr<std::string>> next = Next()) {
    if (!answer.Add(*std::move(next))) Cancel();
  }
  return std::move(answer).Finish(head().headers, trailers());
}

void Stream::Cancel() {
  if (queue_ != nullptr) queue_->DropMessages();
  call_.Cancel();
}

ResponseHead Stream::head() { return queue_->WaitForHead(call_); }
Headers Stream::trailers() const { return queue_->trailers(); }

}  // namespace cursorwire::connect
