// Room: values
#ifndef CURSORWIRE_CONNECT_CALL_EVENT_H_
#define CURSORWIRE_CONNECT_CALL_EVENT_H_

#include <absl/status/status.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "cursorwire/connect/headers.h"

namespace cursorwire::connect {

// The response headers of a call, `:status` among them. At most one, before any message.
struct ResponseHead {
  int http_status = 0;
  Headers headers{};
};

// One message of the peer (of a raw call: some bytes of the body).
struct MessageView {
  // Valid until the next function of the object that gave it is called, unless that is const.
  std::string_view bytes{};
  // Flow-control credit to hand back once the bytes are done with; 0 if none is due. It is what the
  // message counts of the window until then: what came, what that was decompressed to, or 256,
  // which is about what it costs to keep an empty one; whichever is the most.
  size_t credit = 0;
};

// The call is over: exactly one, and the last of a call.
struct CallEnd {
  absl::Status status{};
  // Metadata of the end-stream envelope, `trailer-` headers of a unary call, HTTP trailers of a raw
  // one.
  Headers trailers{};
};

using CallEvent = std::variant<ResponseHead, MessageView, CallEnd>;

// Names a call of one Connection; never used again in its life. 0 never names a call.
using CallId = uint64_t;

// The server's HTTP/2 preface has come: calls are on their way.
struct ConnectionUp {
  std::string tls_version{};  // such as "TLSv1.3"; empty without TLS
};
// The server takes no new calls. Those up to its `last_stream_id` go on.
struct GoAwayReceived {
  int32_t last_stream_id = 0;
  uint32_t http2_code = 0;
  std::string debug_data{};  // at most 1 KiB of it
};
// The connection is over; it comes once, and every call has ended or ends with this status.
struct ConnectionDown {
  absl::Status status{};
};
// The unsent bytes of a call were over kSendHighWater and have fallen below kSendLowWater.
struct Writable {};

struct ConnectionEvent {
  CallId call = 0;  // 0: the connection itself
  std::variant<ResponseHead, MessageView, CallEnd, Writable, ConnectionUp, GoAwayReceived,
               ConnectionDown>
      what{};
};

// A MessageView of a call.
struct CallMessage {
  CallId call = 0;
  MessageView message{};
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_CALL_EVENT_H_
