#include "cursorwire/connect/coroutine.h"

#include "base/error.h"
#include "channel/waiting/async_call.h"
#include "channel/waiting/unary_result.h"

namespace cursorwire::connect {

using internal::AsyncCall;
using internal::WaiterSlots;

namespace {

std::pair<std::shared_ptr<AsyncCall>, Call> StartOn(const CallTarget& target,
                                                    const CallRequest& request, Executor executor) {
  auto state = std::make_shared<AsyncCall>(std::move(executor));
  Call call = target.Start(request, state);
  state->Attach(call);
  return {std::move(state), std::move(call)};
}

}  // namespace

AsyncWait::~AsyncWait() {
  if (places_ != nullptr && ticket_ != 0) places_->Leave(what_, ticket_);
}

bool AsyncWait::await_ready() const { return places_->IsReady(what_); }

bool AsyncWait::await_suspend(std::coroutine_handle<> coroutine) {
  // Once it is suspended, the coroutine may go on elsewhere and destroy this object.
  const std::shared_ptr<WaiterSlots> places = places_;
  const WaiterSlots::Suspension suspension = places->Suspend(what_, coroutine, ticket_);
  if (suspension == WaiterSlots::Suspension::kSuspended) return true;
  refused_ = suspension == WaiterSlots::Suspension::kTaken;
  return false;
}

absl::Status AsyncWait::Resumed() {
  if (ticket_ != 0) places_->Leave(what_, std::exchange(ticket_, 0));
  if (!std::exchange(refused_, false)) return absl::OkStatus();
  return LocalError(absl::StatusCode::kFailedPrecondition,
                    "another coroutine waits for the same of this call");
}

AsyncUnaryCall::AsyncUnaryCall(const std::shared_ptr<AsyncCall>& call, Call handle,
                               absl::Status sent)
    : AsyncWait(call, For::kEnd), call_(call), handle_(std::move(handle)), sent_(std::move(sent)) {}

AsyncUnaryCall::~AsyncUnaryCall() { handle_.Cancel(); }

absl::StatusOr<UnaryResponse> AsyncUnaryCall::await_resume() {
  if (absl::Status status = Resumed(); !status.ok()) return status;
  if (!sent_.ok()) return sent_;
  internal::UnaryResult answer;
  while (std::optional<absl::StatusOr<std::string>> next = call_->TakeMessage()) {
    answer.Add(*std::move(next));
  }
  return std::move(answer).Finish(call_->head().headers, call_->trailers());
}

AsyncUnaryCall AsyncUnary(const CallTarget& target, std::string_view path, std::string message,
                          const CallOptions& options, Executor executor) {
  auto [state, call] =
      StartOn(target, {.path = std::string(path), .kind = CallKind::kUnary, .options = options},
              std::move(executor));
  absl::Status sent = call.Send(std::move(message));
  if (sent.code() == absl::StatusCode::kFailedPrecondition) {
    sent = absl::OkStatus();  // an ended call has its own reason
  } else if (!sent.ok()) {
    call.Cancel();
  }
  return {state, std::move(call), std::move(sent)};
}

AsyncStream::NextMessage::NextMessage(const std::shared_ptr<AsyncCall>& call)
    : AsyncWait(call, For::kMessage), call_(call) {}

std::optional<absl::StatusOr<std::string>> AsyncStream::NextMessage::await_resume() {
  if (absl::Status status = Resumed(); !status.ok()) return status;
  return call_->TakeMessage();
}

AsyncStream::Sent::Sent(const std::shared_ptr<AsyncCall>& call, Call handle, std::string message)
    : AsyncWait(call, For::kWritable), handle_(std::move(handle)), message_(std::move(message)) {}

absl::Status AsyncStream::Sent::await_resume() {
  if (absl::Status status = Resumed(); !status.ok()) return status;
  return handle_.Send(std::move(message_));
}

AsyncStream::Head::Head(const std::shared_ptr<AsyncCall>& call)
    : AsyncWait(call, For::kHead), call_(call) {}

absl::StatusOr<ResponseHead> AsyncStream::Head::await_resume() {
  if (absl::Status status = Resumed(); !status.ok()) return status;
  return call_->head();
}

AsyncStream& AsyncStream::operator=(AsyncStream&& other) noexcept {
  if (this != &other) {
    handle_.Cancel();
    handle_ = std::exchange(other.handle_, Call());
    call_ = std::move(other.call_);
  }
  return *this;
}

void AsyncStream::Cancel() {
  if (call_ != nullptr) call_->DropMessages();
  handle_.Cancel();
}

Headers AsyncStream::trailers() const { return call_->trailers(); }

AsyncStream OpenAsyncStream(const CallTarget& target, const CallRequest& request,
                            Executor executor) {
  auto [state, call] = StartOn(target, request, std::move(executor));
  return {std::move(state), std::move(call)};
}

}  // namespace cursorwire::connect
