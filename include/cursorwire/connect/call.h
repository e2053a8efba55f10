// Room: src/channel/loop
#ifndef CURSORWIRE_CONNECT_CALL_H_
#define CURSORWIRE_CONNECT_CALL_H_

#include <absl/status/status.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "cursorwire/connect/call_event.h"
#include "cursorwire/connect/time_point.h"
#include "cursorwire/export.h"

namespace cursorwire::connect {

namespace internal {
class CreditAccount;
}

// The flow-control credit of one message, which is the right of the server to send as much again.
// Its destructor gives it back, on any thread, also after the end of the call. It goes to the
// server in portions of a quarter of the call's window.
class CURSORWIRE_EXPORT CreditHold {
 public:
  CreditHold() = default;  // no credit
  CreditHold(std::shared_ptr<internal::CreditAccount> account, size_t credit)
      : account_(std::move(account)), credit_(credit) {}
  CreditHold(CreditHold&& other) noexcept
      : account_(std::move(other.account_)), credit_(std::exchange(other.credit_, 0)) {}
  CreditHold& operator=(CreditHold&& other) noexcept {
    std::swap(account_, other.account_);
    std::swap(credit_, other.credit_);
    return *this;
  }
  ~CreditHold();

 private:
  std::shared_ptr<internal::CreditAccount> account_;  // of the call, shared by its messages
  size_t credit_ = 0;
};

namespace internal {
class Driver;
class InterceptedCall;
class LinkLoop;
class LinkPool;
struct LinkEntry;
}  // namespace internal

// A call that was started on a Channel; copies name the same call. It may outlive the channel.
// Every function is thread-safe, returns at once, and has no effect once the call has ended.
class CURSORWIRE_EXPORT Call {
 public:
  Call() = default;  // no call: nothing has an effect

  // Queues one message; it is sent as the server's window admits it.
  //   kResourceExhausted   over CallOptions::max_send_bytes
  //   kFailedPrecondition  the call has ended, or CloseSend() was called
  absl::Status Send(std::string message) const;
  // Half-closes: no more messages will be sent. The answer goes on.
  void CloseSend() const;
  // Resets the stream; OnEnd() comes with kCancelled, unless the call has just ended otherwise.
  void Cancel() const;
  // Hands MessageView::credit back, in parts or sums as you like: a quarter of window_bytes() at a
  // time is enough to keep the server sending.
  void ReleaseCredit(size_t credit) const;
  // OnAlarm() is called once at `time`, in place of an earlier setting; nullopt: not at all.
  void SetAlarm(std::optional<TimePoint> time) const;
  // OnWake() is called soon: brings something to the channel's thread.
  void Wake() const;
  // Bytes of Send() that did not go to the network yet. While they are more than kSendHighWater,
  // better wait for OnWritable(), which comes once they fall below kSendLowWater.
  size_t unsent_bytes() const;
  // Http2Options::stream_window_bytes; 0 if this is not a call.
  size_t window_bytes() const;

 private:
  friend class internal::Driver;
  friend class internal::LinkLoop;
  friend class internal::LinkPool;
  friend class internal::InterceptedCall;
  friend struct internal::LinkEntry;
  struct CURSORWIRE_HIDDEN State;
  explicit Call(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_;  // shared with the channel's thread
};

// Where the functions of a CallObserver may run.
enum class CallbackThread {
  kChannel,  // on the channel's own thread
  kAny,  // also on a thread that waits in a Stream of the channel, or calls one of its functions
};

// What happens to one call of a Channel. All functions run on the channel's thread unless
// callback_thread() allows any, one at a time for all calls of the channel: they must return soon
// and never wait. The functions of Call and Channel may be used in them. Nothing comes after
// OnEnd(), which is always the last call. One exception: if the channel is closed already, Start()
// itself calls OnEnd() and nothing else; if the call is started within such an OnEnd(), that
// happens once it has returned. They must not throw: an exception ends the program.
class CURSORWIRE_EXPORT CallObserver {
 public:
  virtual ~CallObserver() = default;

  // Asked once, before the call is started. As long as there is a call whose answer is kChannel,
  // the channel's thread does all I/O of the channel, whatever ChannelOptions::io_thread says. With
  // kAny, the functions still run one at a time, OnStart() possibly before Start() returns.
  virtual CallbackThread callback_thread() const { return CallbackThread::kChannel; }

  // The first call, unless the channel was closed before: from here on messages can be sent.
  virtual void OnStart(const Call& /*call*/) {}
  // The response headers: before any message, and not at all if the call ends without.
  // NOLINTNEXTLINE(performance-unnecessary-value-param): for those who keep it
  virtual void OnHead(ResponseHead /*head*/) {}
  // `message.bytes` is valid during the call. Hand `message.credit` to Call::ReleaseCredit() once
  // the message is done with, now or later, from any thread: until then the server may send that
  // much less.
  virtual void OnMessage(const MessageView& message) = 0;
  // After the events of one read of the connection: the time to wake a consumer, once for all.
  virtual void OnBatchEnd() {}
  // After unsent bytes over kSendHighWater have fallen below kSendLowWater.
  virtual void OnWritable() {}
  // At the time that Call::SetAlarm() gave, or later.
  virtual void OnAlarm(TimePoint /*now*/) {}
  // After Call::Wake().
  virtual void OnWake(TimePoint /*now*/) {}
  // The call is over, well or not. The channel lets go of the observer after it.
  virtual void OnEnd(CallEnd end) = 0;
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_CALL_H_
