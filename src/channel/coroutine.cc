#include "cursorwire/connect/coroutine.h"

#include "base/error.h"
#include "channel/async_call.h"
#include "channel/one_answer.h"

namespace cursorwire::connect {
namespace {

// Starts a call on a Channel or a ConnectionPin.
template <typename Target>
std::pair<std::shared_ptr<AsyncCall>, Call> StartOn(const Target& target,
                                                    const CallRequest& request, Executor executor) {
  auto state = std::make_shared<AsyncCall>(std::move(executor));
  Call call = target.Start(request, state);
  state->Attach(call);
  return {std::move(state), std::move(call)};
}

}  // namespace

AsyncWait::~AsyncWait() {
  if (call_ != nullptr && ticket_ != 0) call_->Leave(what_, ticket_);
}

bool AsyncWait::await_ready() const { return call_->IsReady(what_); }

bool AsyncWait::await_suspend(std::coroutine_handle<> coroutine) {
  // Once it is suspended, the coroutine may go on elsewhere and destroy this object.
  const std::shared_ptr<AsyncCall> call = call_;
  const AsyncCall::Suspension suspension = call->Suspend(what_, coroutine, ticket_);
  if (suspension == AsyncCall::Suspension::kSuspended) return true;
  refused_ = suspension == AsyncCall::Suspension::kTaken;
  return false;
}

absl::Status AsyncWait::Resumed() {
  if (ticket_ != 0) call_->Leave(what_, std::exchange(ticket_, 0));
  if (!std::exchange(refused_, false)) return absl::OkStatus();
  return LocalError(absl::StatusCode::kFailedPrecondition,
                    "another coroutine waits for the same of this call");
}

AsyncUnaryCall::AsyncUnaryCall(std::shared_ptr<AsyncCall> call, Call handle, absl::Status sent)
    : AsyncWait(std::move(call), For::kEnd), handle_(std::move(handle)), sent_(std::move(sent)) {}

AsyncUnaryCall::~AsyncUnaryCall() { handle_.Cancel(); }

absl::StatusOr<UnaryResponse> AsyncUnaryCall::await_resume() {
  if (absl::Status status = Resumed(); !status.ok()) return status;
  if (!sent_.ok()) return sent_;
  OneAnswer answer;
  while (std::optional<absl::StatusOr<std::string>> next = call_->TakeMessage()) {
    answer.Add(*std::move(next));
  }
  return std::move(answer).Finish(call_->head().headers, call_->trailers());
}

AsyncUnaryCall AsyncUnary(const Channel& channel, std::string_view path, std::string message,
                          const CallOptions& options, Executor executor) {
  auto [state, call] =
      StartOn(channel, {.path = std::string(path), .kind = CallKind::kUnary, .options = options},
              std::move(executor));
  absl::Status sent = call.Send(std::move(message));
  if (sent.code() == absl::StatusCode::kFailedPrecondition) {
    sent = absl::OkStatus();  // an ended call has its own reason
  } else if (!sent.ok()) {
    call.Cancel();
  }
  return {std::move(state), std::move(call), std::move(sent)};
}

std::optional<absl::StatusOr<std::string>> AsyncStream::NextMessage::await_resume() {
  if (absl::Status status = Resumed(); !status.ok()) return status;
  return call_->TakeMessage();
}

absl::Status AsyncStream::Sent::await_resume() {
  if (absl::Status status = Resumed(); !status.ok()) return status;
  return handle_.Send(std::move(message_));
}

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

AsyncStream OpenAsyncStream(const Channel& channel, const CallRequest& request, Executor executor) {
  auto [state, call] = StartOn(channel, request, std::move(executor));
  return {std::move(state), std::move(call)};
}

AsyncStream OpenAsyncStream(const ConnectionPin& pin, const CallRequest& request,
                            Executor executor) {
  auto [state, call] = StartOn(pin, request, std::move(executor));
  return {std::move(state), std::move(call)};
}

}  // namespace cursorwire::connect
