#include "cursorwire/connect/stream.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "channel/driver.h"
#include "channel/poll_role.h"
#include "channel/stream_queue.h"
#include "cursorwire/connect/connection.h"

namespace cursorwire::connect {
namespace {

absl::Status NotOneMessage(std::string_view what) {
  return MakeError(absl::StatusCode::kUnimplemented,
                   absl::StrCat("the answer has ", ToAbsl(what), " instead of one"),
                   {.origin = ErrorOrigin::kProtocol});
}

absl::Status WithMetadata(absl::Status status, const UnaryResponse& response) {
  ErrorInfo info = GetErrorInfo(status).value_or(ErrorInfo{});
  info.metadata = {};
  for (const Headers* headers : {&response.headers, &response.trailers}) {
    for (const Header& header : *headers) info.metadata.Add(header.name, header.value);
  }
  SetErrorInfo(status, info);
  return status;
}

}  // namespace

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
  UnaryResponse response;
  size_t count = 0;
  absl::Status status = absl::OkStatus();
  while (std::optional<absl::StatusOr<std::string>> next = Next()) {
    if (!next->ok()) {
      status = next->status();
    } else if (count++ == 0) {
      response.message = **std::move(next);
    } else {
      Cancel();
    }
  }
  response.headers = head().headers;
  response.trailers = trailers();
  if (count > 1) status = NotOneMessage("more than one message");
  if (status.ok() && count == 0) status = NotOneMessage("no message");
  if (!status.ok()) return WithMetadata(std::move(status), response);
  return response;
}

void Stream::Cancel() { call_.Cancel(); }
ResponseHead Stream::head() { return queue_->WaitForHead(call_); }
Headers Stream::trailers() const { return queue_->trailers(); }

}  // namespace cursorwire::connect
