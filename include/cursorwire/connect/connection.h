// Room: src/core
#ifndef CURSORWIRE_CONNECT_CONNECTION_H_
#define CURSORWIRE_CONNECT_CONNECTION_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cursorwire/connect/call_event.h"
#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/channel_options.h"
#include "cursorwire/connect/time_point.h"
#include "cursorwire/connect/tls_options.h"
#include "cursorwire/export.h"

namespace cursorwire::connect {

// When stream credit goes back to the peer, and so when it may send more.
enum class CreditReturn {
  kOnPoll,  // as soon as PollEvent() hands a message out
  kManual,  // when ReleaseCredit() says so: for hosts that queue messages
};

struct ConnectionOptions {
  // Host and, unless it is the default of the scheme, port; the `:authority` of all requests.
  std::string authority{};
  Security security = Security::kTls;
  // Used with kTls. `tls_context` spares loading the trusted certificates again; if it is empty,
  // one is made from `tls`.
  TlsOptions tls{};
  std::shared_ptr<const TlsContext> tls_context{};
  CreditReturn credit_return = CreditReturn::kOnPoll;
  // After Http2Options::unused_timeout the connection closes itself, as by Close(), but with
  // kUnavailable.
  Http2Options http2{};
};

// One HTTP/2 connection to a Connect server and the calls on it, without I/O: for a host that has
// an event loop of its own. Channel does the same with a thread.
//
// Order: after each call of any function, write PendingOutput() and pull PollEvent() until both are
// empty. Bytes of the server go to Receive(). At NextDeadline(), or at any time, call OnDeadline().
// Calls may be started at once; they go out when the connection is up.
// Errors: nothing throws and nothing is lost: a failure of the connection ends each call with a
// CallEnd and comes as ConnectionDown. After that only PollEvent() is of use.
// Memory per call: at most Http2Options::stream_window_bytes + CallOptions::max_receive_bytes of
// received bytes, and the bytes of Send() that the server's window has not admitted.
// Thread-compatible; reads no clock. Source: RFC 9113 and the Connect protocol.
class CURSORWIRE_EXPORT Connection {
 public:
  Connection(ConnectionOptions options, TimePoint now);
  ~Connection();
  Connection(Connection&&) noexcept;
  Connection& operator=(Connection&&) noexcept;

  // Starts a call; its timeouts run from `now`. A call that cannot be made ends with a CallEnd.
  // If this is another attempt of a call, `used` is the time since its first start; it counts
  // against CallOptions::timeout.
  CallId StartCall(const CallRequest& request, TimePoint now,
                   std::chrono::milliseconds used = std::chrono::milliseconds(0));
  // The same, for a request that others hold as well: it is kept, and not copied. Not nullptr.
  CallId StartSharedCall(std::shared_ptr<const CallRequest> request, TimePoint now,
                         std::chrono::milliseconds used = std::chrono::milliseconds(0));
  // Queues one message. That of a unary call also ends the request.
  //   kResourceExhausted   over CallOptions::max_send_bytes
  //   kFailedPrecondition  the call has ended, or its sending side is closed
  absl::Status Send(CallId call, std::string_view message);
  // Half-closes: no more messages will be sent. The answer goes on.
  void CloseSend(CallId call);
  // Ends a call: RST_STREAM with CANCEL, and CallEnd with kCancelled. No effect on an ended call.
  void Cancel(CallId call);
  // Bytes of Send() that are not in PendingOutput() yet. When they are more than kSendHighWater,
  // wait for the Writable event that comes once they fall below kSendLowWater.
  size_t unsent_bytes(CallId call) const;
  // Hands MessageView::credit back, in parts or sums as you like. Only with CreditReturn::kManual.
  // Do not wait for more of a call while most of its window is not handed back.
  void ReleaseCredit(CallId call, size_t credit);

  // Bytes for the server. The view is valid until the next function that is not const.
  std::string_view PendingOutput();
  void ConsumeOutput(size_t bytes);
  // Bytes from the server, in any pieces.
  void Receive(std::string_view bytes, TimePoint now);
  // The server closed its side of the transport.
  void ReceiveEof(TimePoint now);
  // The transport failed: no address, refused, reset. `status` becomes that of the calls.
  void Fail(const absl::Status& status, TimePoint now);
  // Announces the end with GOAWAY and a TLS close_notify, and ends all calls with kCancelled.
  void Close();

  // When OnDeadline() is due next; nullopt if nothing is waited for.
  std::optional<TimePoint> NextDeadline() const;
  // Too early is a no-op.
  void OnDeadline(TimePoint now);

  // The next event, or nullopt. Events of one call come in order.
  std::optional<ConnectionEvent> PollEvent();
  // The next event if it is a message; nullopt if it is another, or if finding out takes more than
  // a look: then PollEvent() says what it is. Cheaper, for hosts of many small messages;
  // PollEvent() alone does as well.
  std::optional<CallMessage> PollMessage();

  // The server's preface has come, and the connection is not down.
  bool is_up() const;
  // The server has closed its side, of the transport or of TLS.
  bool peer_closed() const;
  // New calls are welcome: not down, no GOAWAY came, and a stream id is left.
  bool accepts_calls() const;
  // A call that is started now does not wait for another to end: the server takes more at a time
  // than there are. Before it has said how many, 100 are taken for granted (RFC 9113, 6.5.2,
  // recommends no less).
  bool has_free_stream() const;
  size_t active_calls() const;
  // The server may not have acted yet on a CallRequest::message_at_deadline: it has not ended the
  // stream, and the second that it has for it is not over. It could overlook the message if the
  // connection were closed now.
  bool has_last_messages() const;

 private:
  class CURSORWIRE_HIDDEN Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_CONNECTION_H_
