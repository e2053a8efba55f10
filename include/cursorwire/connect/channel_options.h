// Room: values
#ifndef CURSORWIRE_CONNECT_CHANNEL_OPTIONS_H_
#define CURSORWIRE_CONNECT_CHANNEL_OPTIONS_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cursorwire/connect/tls_options.h"

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

class Interceptor;

// To which hosts `http://` URLs (HTTP/2 without TLS) are allowed.
enum class PlaintextHosts {
  kNone,
  kLoopback,  // localhost, 127.0.0.0/8 and ::1
  kAny,       // everybody on the way can read and change what is sent, tokens too
};

// Which threads do the I/O of a Channel.
enum class IoThread {
  // A thread that waits in Next() or Unary() does it itself where it can, so that no other thread
  // must be woken for each message; the channel's thread does it at all other times.
  kWhoeverWaits,
  // The channel's thread alone: for programs whose own threads must do nothing but their work, or
  // that want to receive and to use messages on two cores.
  kChannelOnly,
};

// By which proxy a host is reached: docs/proxies.md. A value; directly by default.
struct ProxyChoice {
  // http:// (CONNECT), https:// (the same over TLS), socks5:// or socks5h:// (which looks up names
  // itself), such as "http://user:password@proxy.example:3128"; user and password may have
  // %-sequences. Counts for all hosts, but for http:// ones of this machine. "": directly. nullopt:
  // as from_environment says.
  std::optional<std::string> url{};
  // Follow https_proxy, all_proxy and no_proxy of the environment, in lower or upper case, as curl
  // does. They are read when a Channel is made.
  bool from_environment = false;
};

// How a Channel connects. A value.
struct ChannelOptions {
  // Its trust is also that of a proxy that is reached over TLS.
  TlsOptions tls{};
  // What goes wrong at the proxy is kUnavailable, with a message that begins with "the proxy".
  ProxyChoice proxy{};
  PlaintextHosts plaintext_hosts = PlaintextHosts::kLoopback;
  // For all connections of the channel.
  Http2Options http2{};
  IoThread io_thread = IoThread::kWhoeverWaits;
  // See all calls of the channel; the first is the outermost. Shared, so that one may serve many
  // channels. None may be null.
  std::vector<std::shared_ptr<Interceptor>> interceptors{};
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_CHANNEL_OPTIONS_H_
