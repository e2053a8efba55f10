// Room: src/channel/loop
#ifndef CURSORWIRE_CONNECT_INTERCEPTOR_H_
#define CURSORWIRE_CONNECT_INTERCEPTOR_H_

#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cursorwire/connect/call_event.h"
#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/headers.h"
#include "cursorwire/connect/time_point.h"
#include "cursorwire/export.h"

namespace cursorwire::connect {

// Messages in one direction, counted as the user sees them: without envelopes and compression. In a
// raw call, the pieces of the body.
struct MessageCount {
  uint64_t messages = 0;
  uint64_t bytes = 0;

  friend bool operator==(const MessageCount&, const MessageCount&) = default;
};

// One call as its interceptors see it. It stays where it is until OnEnd() has returned, so that its
// address may name the call; what is not known yet has its default.
struct CallRecord {
  std::string path{};  // as the user gave it: without the prefix of the channel's URL
  CallKind kind = CallKind::kStreaming;
  // On the clock of the channel, std::chrono::steady_clock.
  TimePoint start{};  // Channel::Start() was called
  std::optional<TimePoint> head{};
  TimePoint end{};
  int http_status = 0;  // 0: no response headers came
  // Taken by Call::Send() of a call that was made, whether they went to the network or not; set in
  // OnEnd().
  MessageCount sent{};
  MessageCount received{};
};

// Sees every call of a channel, however it is started, those of its pins too: see
// ChannelOptions::interceptors. For tokens, tracing, metrics and logs.
//
// Order: OnRequest(), then OnHead() at most once, then OnEnd() exactly once. OnSend() comes any
// number of times between OnRequest() and OnEnd(), OnMessage() between OnHead() and OnEnd(). They
// come like the layers of an onion: OnRequest() and OnSend() from the first interceptor to the
// last; OnHead(), OnMessage() and OnEnd() from the last to the first, before the observer of the
// call hears the same. Where one refuses a call, those after it see nothing of it.
//
// Threads: OnRequest() runs on the thread that starts the call, so on many at once; the others
// on the thread that does the channel's I/O then (ChannelOptions::io_thread), one at a time
// for all calls of the channel, and they must return soon. One exception: where the channel is
// closed already, OnEnd() comes on the thread that starts the call. One interceptor may serve any
// number of channels.
//
// Exceptions: what one throws ends that call with kInternal, and harms no other.
class CURSORWIRE_EXPORT Interceptor {
 public:
  virtual ~Interceptor() = default;

  // Before the call is made. `headers` are CallOptions::headers with what interceptors before this
  // one did to them; those of the protocol are not among them. An error ends the call with that
  // status, and nothing is sent. It may block, which delays the one that starts the call.
  virtual absl::Status OnRequest(const CallRecord& /*call*/, Headers& /*headers*/) {
    return absl::OkStatus();
  }
  virtual void OnHead(const CallRecord& /*call*/, const Headers& /*headers*/) {}
  // A message of Call::Send(), before it goes to the network; not again if the call is replayed.
  // Messages still to be sent when the call ends are not seen, nor is
  // CallRequest::message_at_deadline. `message` is valid during the call.
  virtual void OnSend(const CallRecord& /*call*/, std::string_view /*message*/) {}
  // A message of the server, as its user gets it (MessageView). `message` is valid during the call.
  virtual void OnMessage(const CallRecord& /*call*/, std::string_view /*message*/) {}
  // Also after an error of its own OnRequest().
  virtual void OnEnd(const CallRecord& /*call*/, const CallEnd& /*end*/) {}
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_INTERCEPTOR_H_
