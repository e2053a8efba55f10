// Room: values
#ifndef CURSORWIRE_CONNECT_KEEPALIVE_OPTIONS_H_
#define CURSORWIRE_CONNECT_KEEPALIVE_OPTIONS_H_

#include <chrono>

namespace cursorwire::connect {

// Whether a silent server is asked for a sign of life only while calls are open, or always.
enum class KeepaliveWhen { kDuringCalls, kAlways };

// How a connection tells a silent server from a dead one. A value.
struct KeepaliveOptions {
  // After so much time in which not a byte was received, an HTTP/2 PING is sent. 0: never. Servers
  // may take many of them for an attack: better not less than some seconds.
  std::chrono::milliseconds interval{30'000};
  // When not a byte of anything comes for so long after that PING, the server counts as dead: the
  // connection is down, and its calls end with kUnavailable. 0: never.
  std::chrono::milliseconds timeout{15'000};
  KeepaliveWhen when = KeepaliveWhen::kDuringCalls;
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_KEEPALIVE_OPTIONS_H_
