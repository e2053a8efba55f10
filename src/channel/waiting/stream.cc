#include "cursorwire/connect/stream.h"

#include <utility>

#include "base/error.h"
#include "channel/waiting/stream_queue.h"
#include "channel/waiting/unary_result.h"

namespace cursorwire::connect {

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
  internal::UnaryResult answer;
  while (std::optional<absl::StatusOr<std::string>> next = Next()) {
    if (!answer.Add(*std::move(next))) Cancel();
  }
  return std::move(answer).Finish(WaitForHead().headers, trailers());
}

void Stream::Cancel() {
  if (queue_ != nullptr) queue_->DropMessages();
  call_.Cancel();
}

ResponseHead Stream::WaitForHead() { return queue_->WaitForHead(call_); }
Headers Stream::trailers() const { return queue_->trailers(); }

}  // namespace cursorwire::connect
