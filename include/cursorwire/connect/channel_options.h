// Room: values
#ifndef CURSORWIRE_CONNECT_CHANNEL_OPTIONS_H_
#define CURSORWIRE_CONNECT_CHANNEL_OPTIONS_H_

#include <memory>
#include <vector>

#include "cursorwire/connect/http2_options.h"
#include "cursorwire/connect/tls_options.h"

namespace cursorwire::connect {

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

// How a Channel connects. A value.
struct ChannelOptions {
  TlsOptions tls{};
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
