#ifndef CURSORWIRE_CONNECT_CHANNEL_OPTIONS_H_
#define CURSORWIRE_CONNECT_CHANNEL_OPTIONS_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cursorwire/connect/keepalive_options.h"
#include "cursorwire/connect/tls_options.h"

namespace cursorwire::connect {

class Interceptor;

// Where `http://` URLs (HTTP/2 without TLS) are allowed.
enum class Plaintext {
  kLoopbackOnly,  // localhost, 127.0.0.0/8 and ::1
  kAnywhere,      // everybody on the way can read and change what is sent, tokens too
  kNever,
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
  Plaintext plaintext = Plaintext::kLoopbackOnly;
  // From the start of the name's resolution to the server's HTTP/2 preface, however many addresses
  // are tried. 0: no limit. When it passes, the calls that wait end with kDeadlineExceeded.
  std::chrono::milliseconds connect_timeout{30'000};
  // Value of `user-agent`; empty: it is not sent.
  std::string user_agent{};
  // What one stream may hold of received bytes that its user did not take; see Connection. 1 to
  // 2^31-1.
  uint32_t stream_window_bytes = 1024 * 1024;
  // A connection that has had no calls for so long is closed, unless it is pinned; the next call
  // makes a new one. 0: never.
  std::chrono::milliseconds idle_timeout{300'000};
  // For all connections of the channel.
  KeepaliveOptions keepalive{};
  IoThread io_thread = IoThread::kWhoeverWaits;
  // See all calls of the channel; the first is the outermost. Shared, so that one may serve many
  // channels. None may be null.
  std::vector<std::shared_ptr<Interceptor>> interceptors{};
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_CHANNEL_OPTIONS_H_
