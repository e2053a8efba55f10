// Room: values
#ifndef CURSORWIRE_CONNECT_CONNECTION_EVENT_H_
#define CURSORWIRE_CONNECT_CONNECTION_EVENT_H_

#include <absl/status/status.h>

#include <cstdint>
#include <string>
#include <variant>

#include "cursorwire/connect/call_event.h"

namespace cursorwire::connect {

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

#endif  // CURSORWIRE_CONNECT_CONNECTION_EVENT_H_
