// Room: src/channel/waiting
#ifndef CURSORWIRE_CONNECT_COROUTINE_H_
#define CURSORWIRE_CONNECT_COROUTINE_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <coroutine>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cursorwire/connect/call.h"
#include "cursorwire/connect/call_event.h"
#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/call_target.h"
#include "cursorwire/connect/headers.h"
#include "cursorwire/connect/stream.h"
#include "cursorwire/export.h"

// Calls for C++20 coroutines, with bytes; protobuf_coroutine.h has them with generated messages.
// This library has no task type: its awaitables work in coroutines of any task type.
//
//   Task<absl::Status> Talk(const connect::Channel& channel) {
//     auto reply = co_await connect::AsyncUnary(channel, "/s.S/Ask", bytes);
//     if (!reply.ok()) co_return reply.status();
//     connect::AsyncStream stream = connect::OpenAsyncStream(channel, "/s.S/Talk");
//     co_await stream.Send(reply->message);
//     stream.CloseSend();
//     while (auto message = co_await stream.Next()) {
//       if (!message->ok()) co_return message->status();   // always the last element
//       Use(**message);
//     }
//   }
//
// Where a coroutine goes on: on the channel's thread, where it must not block, or where the
// Executor runs it. What is there already is taken without suspending, on the thread that asks.
// One wake-up for all that one read of the connection brought.
//
// Cancellation: destroy the object. Each of them, a suspended coroutine with them in its frame too,
// may be destroyed at any time on the thread where it would go on: it will not go on then. That is
// the channel's thread, or the one thread of the Executor, even if it was asked to run the
// coroutine already. On another thread, first make sure that the coroutine does not go on
// meanwhile, as always where a frame is destroyed: Cancel() the stream, and let the coroutine run
// to its end. No destructor waits.
namespace cursorwire::connect {

namespace internal {
class AsyncCall;
class WaiterSlots;
}  // namespace internal

// A coroutine that waits for something of a call: base of what is awaited here. It may be moved
// before it is awaited.
class CURSORWIRE_EXPORT AsyncWait {
 public:
  enum class For { kHead, kMessage, kWritable, kEnd };

  AsyncWait(std::shared_ptr<internal::WaiterSlots> places, For what)
      : places_(std::move(places)), what_(what) {}
  ~AsyncWait();
  AsyncWait(AsyncWait&& other) noexcept
      : places_(std::move(other.places_)), what_(other.what_), ticket_(other.ticket_) {}
  AsyncWait& operator=(AsyncWait&&) = delete;

  bool await_ready() const;
  // False if there is nothing to wait for any more, or a coroutine waits for the same already.
  bool await_suspend(std::coroutine_handle<> coroutine);

 protected:
  // Two coroutines waited for the same: kFailedPrecondition. Else OK.
  absl::Status Resumed();

 private:
  std::shared_ptr<internal::WaiterSlots> places_;  // the call's; null if moved from
  For what_;
  uint64_t ticket_ = 0;  // not 0: the coroutine is suspended
  bool refused_ = false;
};

// A call of one message each way that is on its way; `co_await` it once.
class [[nodiscard]] CURSORWIRE_EXPORT AsyncUnaryCall final : public AsyncWait {
 public:
  ~AsyncUnaryCall();
  AsyncUnaryCall(AsyncUnaryCall&&) noexcept = default;

  // As Channel::Unary().
  absl::StatusOr<UnaryResponse> await_resume();
  // The result will be kCancelled. From any thread.
  void Cancel() const { handle_.Cancel(); }

 private:
  friend AsyncUnaryCall AsyncUnary(const CallTarget& target, std::string_view path,
                                   std::string message, const CallOptions& options,
                                   Executor executor);
  AsyncUnaryCall(const std::shared_ptr<internal::AsyncCall>& call, Call handle, absl::Status sent);

  std::shared_ptr<internal::AsyncCall> call_;  // shared with the channel's thread
  Call handle_;
  absl::Status sent_;  // an error: nothing was sent
};

// Starts a call at once, so that many may be started and then awaited one after the other.
// Destroying it cancels the call.
//
// g++ 12 destroys a temporary struct within a `co_await` twice. CallOptions are proof against that
// while they hold no headers: give those that do a name, in a line of their own.
CURSORWIRE_EXPORT AsyncUnaryCall AsyncUnary(const CallTarget& target, std::string_view path,
                                            std::string message, const CallOptions& options = {},
                                            Executor executor = {});

// Stream, for coroutines: order of calls and memory as there. One coroutine may send while another
// receives; two that wait for the same are an error of the second, kFailedPrecondition. A stream
// may be destroyed or moved while coroutines wait at it. Destroying it cancels the call: they go on
// with kCancelled.
class CURSORWIRE_EXPORT AsyncStream {
 public:
  class [[nodiscard]] NextMessage final : public AsyncWait {
   public:
    explicit NextMessage(const std::shared_ptr<internal::AsyncCall>& call);
    std::optional<absl::StatusOr<std::string>> await_resume();

   private:
    std::shared_ptr<internal::AsyncCall> call_;
  };
  class [[nodiscard]] Sent final : public AsyncWait {
   public:
    Sent(const std::shared_ptr<internal::AsyncCall>& call, Call handle, std::string message);
    absl::Status await_resume();

   private:
    Call handle_;
    std::string message_;
  };
  class [[nodiscard]] Head final : public AsyncWait {
   public:
    explicit Head(const std::shared_ptr<internal::AsyncCall>& call);
    absl::StatusOr<ResponseHead> await_resume();

   private:
    std::shared_ptr<internal::AsyncCall> call_;
  };

  ~AsyncStream() { handle_.Cancel(); }
  AsyncStream(AsyncStream&& other) noexcept
      : handle_(std::exchange(other.handle_, Call())), call_(std::move(other.call_)) {}
  AsyncStream& operator=(AsyncStream&& other) noexcept;

  // `co_await` gives the next message, then the error if there is one, then always nullopt.
  NextMessage Next() { return NextMessage(call_); }
  // `co_await` queues the message, and waits before that while more than kSendHighWater bytes
  // are unsent. Nothing is sent without it.
  //   as Stream::Send()
  Sent Send(std::string message) { return {call_, handle_, std::move(message)}; }
  // Half-closes: no more messages will be sent.
  void CloseSend() { handle_.CloseSend(); }
  // Ends the call: the coroutines that wait go on with kCancelled, which is also what Next() gives
  // in place of messages that nobody took. From any thread.
  void Cancel();

  // `co_await` waits for the response headers, or the end of the call: they are empty then.
  //   kFailedPrecondition  another coroutine waits for them
  Head WaitForHead() { return Head(call_); }
  // The trailers; empty until Next() has given the last element.
  Headers trailers() const;

 private:
  friend AsyncStream OpenAsyncStream(const CallTarget& target, const CallRequest& request,
                                     Executor executor);
  AsyncStream(std::shared_ptr<internal::AsyncCall> call, Call handle)
      : handle_(std::move(handle)), call_(std::move(call)) {}

  Call handle_;
  std::shared_ptr<internal::AsyncCall>
      call_;  // shared with the channel's thread and those that wait
};

CURSORWIRE_EXPORT AsyncStream OpenAsyncStream(const CallTarget& target, const CallRequest& request,
                                              Executor executor = {});
inline AsyncStream OpenAsyncStream(const CallTarget& target, std::string_view path,
                                   const CallOptions& options = {}, Executor executor = {}) {
  return OpenAsyncStream(
      target, {.path = std::string(path), .kind = CallKind::kStreaming, .options = options},
      std::move(executor));
}

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_COROUTINE_H_
