// Room: src/channel
#ifndef CURSORWIRE_CONNECT_PROTOBUF_COROUTINE_H_
#define CURSORWIRE_CONNECT_PROTOBUF_COROUTINE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <atomic>
#include <coroutine>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/call_target.h"
#include "cursorwire/connect/coroutine.h"
#include "cursorwire/connect/headers.h"
#include "cursorwire/connect/protobuf.h"

// The calls of coroutine.h with generated messages, by the same values of methods as those of
// protobuf.h. Header-only. Where a coroutine goes on, and how a call is cancelled: as in
// coroutine.h.
//
//   constexpr connect::UnaryMethod<SayRequest, SayResponse> kSay{"/eliza.v1.ElizaService/Say"};
//   auto reply = co_await connect::AsyncUnary(channel, kSay, request);
//   if (!reply.ok()) co_return reply.status();
//   Use(reply->message, reply->trailers);
namespace cursorwire::connect {

// AsyncUnaryCall with a message; `co_await` it once.
template <typename Response>
class [[nodiscard]] TypedAsyncUnaryCall {
 public:
  TypedAsyncUnaryCall(AsyncUnaryCall call, Codec codec) : call_(std::move(call)), codec_(codec) {}
  // A call that was not made, since its request cannot be encoded.
  explicit TypedAsyncUnaryCall(absl::Status not_encoded) : not_encoded_(std::move(not_encoded)) {}

  bool await_ready() const { return !call_ || call_->await_ready(); }
  bool await_suspend(std::coroutine_handle<> coroutine) { return call_->await_suspend(coroutine); }
  // As Unary().
  absl::StatusOr<TypedResponse<Response>> await_resume() {
    if (!call_) return not_encoded_;
    return DecodeResponse<Response>(call_->await_resume(), codec_);
  }
  // The result will be kCancelled. From any thread.
  void Cancel() const {
    if (call_) call_->Cancel();
  }

 private:
  std::optional<AsyncUnaryCall> call_;
  Codec codec_ = Codec::kProto;
  absl::Status not_encoded_;  // an error if there is no call
};

// Starts a call at once. CallOptions within a `co_await`: as for AsyncUnary() with bytes.
template <typename Request, typename Response>
TypedAsyncUnaryCall<Response> AsyncUnary(const CallTarget& target,
                                         const UnaryMethod<Request, Response>& method,
                                         const std::type_identity_t<Request>& request,
                                         const CallOptions& options = {}, Executor executor = {}) {
  absl::StatusOr<std::string> bytes = EncodeMessage(request, options.codec);
  if (!bytes.ok()) return TypedAsyncUnaryCall<Response>(bytes.status());
  return {AsyncUnary(target, method.path, *std::move(bytes), options, std::move(executor)),
          options.codec};
}

// An AsyncStream of messages: order of calls, memory and lifetime as there. A message that does not
// decode cancels the call, and is the last element.
template <typename Request, typename Response>
class TypedAsyncStream {
 private:
  // Shared with the coroutines that wait: they may outlive the stream.
  struct Shared {
    AsyncStream stream;
    std::atomic<bool> broken = false;  // a message did not decode
  };

 public:
  class [[nodiscard]] NextMessage {
   public:
    NextMessage(std::shared_ptr<Shared> shared, Codec codec)
        : next_(shared->stream.Next()), shared_(std::move(shared)), codec_(codec) {}

    bool await_ready() {
      behind_end_ = shared_->broken;
      return behind_end_ || next_.await_ready();
    }
    bool await_suspend(std::coroutine_handle<> coroutine) { return next_.await_suspend(coroutine); }
    std::optional<absl::StatusOr<Response>> await_resume() {
      if (behind_end_) return std::nullopt;
      std::optional<absl::StatusOr<std::string>> bytes = next_.await_resume();
      if (!bytes) return std::nullopt;
      if (!bytes->ok()) return bytes->status();
      absl::StatusOr<Response> message = DecodeMessage<Response>(**bytes, codec_);
      if (!message.ok()) {
        shared_->broken = true;
        shared_->stream.Cancel();
      }
      return message;
    }

   private:
    AsyncStream::NextMessage next_;
    std::shared_ptr<Shared> shared_;
    Codec codec_;
    bool behind_end_ = false;
  };

  class [[nodiscard]] Sent {
   public:
    explicit Sent(AsyncStream::Sent sent) : sent_(std::move(sent)) {}
    explicit Sent(absl::Status not_encoded) : not_encoded_(std::move(not_encoded)) {}

    bool await_ready() const { return !sent_ || sent_->await_ready(); }
    bool await_suspend(std::coroutine_handle<> coroutine) {
      return sent_->await_suspend(coroutine);
    }
    absl::Status await_resume() { return sent_ ? sent_->await_resume() : not_encoded_; }

   private:
    std::optional<AsyncStream::Sent> sent_;
    absl::Status not_encoded_;  // an error if there is nothing to send
  };

  TypedAsyncStream(AsyncStream stream, Codec codec)
      : shared_(new Shared{.stream = std::move(stream)}), codec_(codec) {}
  ~TypedAsyncStream() { Cancel(); }
  TypedAsyncStream(TypedAsyncStream&&) noexcept = default;
  TypedAsyncStream& operator=(TypedAsyncStream&& other) noexcept {
    if (this != &other) {
      Cancel();
      shared_ = std::move(other.shared_);
      codec_ = other.codec_;
    }
    return *this;
  }

  // As AsyncStream::Next(), with messages.
  NextMessage Next() { return {shared_, codec_}; }
  // As AsyncStream::Send().
  //   as EncodeMessage(): nothing is sent, and the stream goes on
  Sent Send(const Request& request) {
    absl::StatusOr<std::string> bytes = EncodeMessage(request, codec_);
    if (!bytes.ok()) return Sent(bytes.status());
    return Sent(shared_->stream.Send(*std::move(bytes)));
  }
  void CloseSend() { shared_->stream.CloseSend(); }
  // From any thread.
  void Cancel() {
    if (shared_ != nullptr) shared_->stream.Cancel();
  }
  AsyncStream::Head WaitForHead() { return shared_->stream.WaitForHead(); }
  Headers trailers() const { return shared_->stream.trailers(); }

 private:
  std::shared_ptr<Shared> shared_;  // null if moved from
  Codec codec_;
};

// A call of any number of messages both ways.
template <typename Request, typename Response>
TypedAsyncStream<Request, Response> OpenAsyncStream(
    const CallTarget& target, const BidiStreamMethod<Request, Response>& method,
    const CallOptions& options = {}, Executor executor = {}) {
  return {OpenAsyncStream(target, method.path, options, std::move(executor)), options.codec};
}

// A call of any number of requests and one response, which Next() gives after CloseSend().
template <typename Request, typename Response>
TypedAsyncStream<Request, Response> OpenAsyncStream(
    const CallTarget& target, const ClientStreamMethod<Request, Response>& method,
    const CallOptions& options = {}, Executor executor = {}) {
  return {OpenAsyncStream(target, method.path, options, std::move(executor)), options.codec};
}

// A call of one request, which is sent, and any number of responses.
//   as EncodeMessage()
//   kResourceExhausted  `request` is over CallOptions::max_send_bytes
template <typename Request, typename Response>
absl::StatusOr<TypedAsyncStream<Request, Response>> OpenAsyncStream(
    const CallTarget& target, const ServerStreamMethod<Request, Response>& method,
    const std::type_identity_t<Request>& request, const CallOptions& options = {},
    Executor executor = {}) {
  TypedAsyncStream<Request, Response> stream(
      OpenAsyncStream(target, method.path, options, std::move(executor)), options.codec);
  auto sent = stream.Send(request);
  // Nothing is unsent in a new call, so that there is nothing to wait for.
  absl::Status status = sent.await_ready() ? sent.await_resume() : absl::OkStatus();
  // A call that has ended tells why by Next().
  if (!status.ok() && status.code() != absl::StatusCode::kFailedPrecondition) return status;
  stream.CloseSend();
  return stream;
}

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_PROTOBUF_COROUTINE_H_
