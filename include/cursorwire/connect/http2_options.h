// Room: values
#ifndef CURSORWIRE_CONNECT_HTTP2_OPTIONS_H_
#define CURSORWIRE_CONNECT_HTTP2_OPTIONS_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "cursorwire/connect/keepalive_options.h"

namespace cursorwire::connect {

// How one HTTP/2 connection is made, used and given up: of a Channel, or of a host that owns a
// Connection. A value.
struct Http2Options {
  // From the start of the name's resolution to the server's HTTP/2 preface, however many addresses
  // are tried (for a Connection: from its constructor). 0: no limit. When it passes, the calls that
  // wait end with kDeadlineExceeded.
  std::chrono::milliseconds connect_timeout{30'000};
  // Value of `user-agent`; empty: the header is not sent.
  std::string user_agent{};
  // What the server may have in flight for one call: received bytes that the user did not take. 1
  // to 2^31-1.
  uint32_t stream_window_bytes = 1024 * 1024;
  // A connection that has had no calls for so long is closed, unless it is pinned. A Channel makes
  // a new one for its next call. 0: it is never closed.
  std::chrono::milliseconds unused_timeout{300'000};
  // A server says how many calls it takes at a time on a connection
  // (SETTINGS_MAX_CONCURRENT_STREAMS; many say 100): another call waits for one to end. Where a
  // Channel may have more connections than one, it makes another for it, and calls that come later
  // share all of them; ConnectionPins do not count. 1 or more. A Connection is always one.
  int max_connections = 1;
  // A call that has waited so long for another to end does so itself with kUnavailable; it was
  // not sent (ErrorInfo::replay_safe). 0: it waits as long as CallOptions::timeout lets it.
  std::chrono::milliseconds stream_timeout{0};
  KeepaliveOptions keepalive{};
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_HTTP2_OPTIONS_H_
