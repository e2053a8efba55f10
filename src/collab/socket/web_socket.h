#ifndef CURSORWIRE_SRC_COLLAB_SOCKET_WEB_SOCKET_H_
#define CURSORWIRE_SRC_COLLAB_SOCKET_WEB_SOCKET_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collab/socket/event_loop.h"
#include "cursorwire/connect/tls_options.h"
#include "net/resolver.h"

namespace cursorwire::collab {

// Close codes. Source: RFC 6455, 7.4.1, and IANA's registry for 1012.
inline constexpr uint16_t kCloseNormal = 1000;
inline constexpr uint16_t kCloseGoingAway = 1001;
inline constexpr uint16_t kCloseProtocolError = 1002;
inline constexpr uint16_t kClosePolicy = 1008;
inline constexpr uint16_t kCloseServiceRestart = 1012;

enum class MessageKind : uint8_t { kBinary, kText };

struct WebSocketOptions {
  // "wss://HOST[:PORT][/PATH][?QUERY]", or "ws://". Path and query are sent as they are. The query
  // may be a secret: it is in no error text. See CheckWebSocketUrl().
  std::string url{};
  // Whether ws:// may lead to another machine.
  bool allow_plaintext = false;
  // Its trust and client certificate. The protocol is HTTP/1.1 whatever ALPN it has. May be nullptr
  // for ws://.
  std::shared_ptr<const connect::TlsContext> tls{};
  // Of the handshake, beside those of RFC 6455. They may be secrets: they are in no error text.
  std::vector<std::pair<std::string, std::string>> headers{};
  // Of a message that the server sends; at least 1.
  size_t max_message_bytes = size_t{64} * 1024 * 1024;
  // For name lookup, TCP, TLS and the handshake together.
  std::chrono::milliseconds connect_timeout{10000};
  // How often the server is pinged, and how long it may be silent after that.
  std::chrono::milliseconds ping_interval{15000};
  std::chrono::milliseconds pong_timeout{10000};
  // What Send() sends unless it is told otherwise, and what is taken from the server.
  MessageKind kind = MessageKind::kBinary;
  // Whether messages of the other kind are taken as well. Else they are dropped.
  bool takes_both_kinds = false;
  // For the end of a connection, with what is still to be sent.
  std::chrono::milliseconds close_timeout{2000};
  // See ReconnectDelay.
  std::chrono::milliseconds first_delay{500};
  std::chrono::milliseconds max_delay{30000};
  // Default: the system's. Called on a thread of its own.
  net::Resolver resolver{};
  // A number from 0 to 1. Default: from an engine of its own that std::random_device seeds.
  std::function<double()> random{};
};

// What most messages of CheckWebSocketUrl() begin with.
inline constexpr std::string_view kBadWebSocketUrl = "bad URL of a WebSocket: ";

//   kInvalidArgument  it is no URL of ws:// or wss://; it holds a user name, password or fragment;
//                     it is ws:// to another machine without `allow_plaintext`. The message says
//                     what to do, and quotes at most host and port.
absl::Status CheckWebSocketUrl(std::string_view url, bool allow_plaintext);

// What a WebSocket tells, on the loop's thread and never within a call of the WebSocket. Each
// function may call it, and may destroy it.
class WebSocketUser {
 public:
  virtual ~WebSocketUser() = default;

  virtual void OnOpened() = 0;
  // A whole message. The view is valid until it returns.
  virtual void OnMessage(std::string_view bytes, MessageKind kind) = 0;
  // Once for each connection that was open, and for each attempt that failed. What was not sent is
  // dropped. The next attempt begins after `retry_in`.
  //   kUnavailable        no connection, not trusted, not a WebSocket (the message names the HTTP
  //                       status), no answer to pings, or the server closed it
  //   kUnauthenticated    it answered with status 401
  //   kPermissionDenied   it answered with status 403
  //   kResourceExhausted  a message over max_message_bytes, or too much is unsent
  //   kInternal           the server broke the WebSocket protocol
  //   kInvalidArgument    the options: see CheckWebSocketUrl(); or bytes that headers cannot hold
  // or what Fail() was given.
  virtual void OnClosed(const absl::Status& why, std::chrono::milliseconds retry_in) = 0;
};

// A client of one WebSocket server (RFC 6455), which connects again whenever the connection is
// lost. Without extensions (no compression), subprotocols, redirects, proxies or cookies.
//
// Order: Start() once, at most one Stop(). Destruction at any time, also within a function of the
// user, drops the connection without a close frame.
// Memory: a message of the server of max_message_bytes, kMaxUnsentBytes, and 128 KiB of buffers.
// Loop's thread only.
class WebSocket {
 public:
  // What Send() has taken and the system has not.
  static constexpr size_t kMaxUnsentBytes = size_t{256} * 1024 * 1024;

  // `loop` and `user` must outlive it.
  WebSocket(EventLoop& loop, WebSocketOptions options, WebSocketUser& user);
  ~WebSocket();
  WebSocket(const WebSocket&) = delete;
  WebSocket& operator=(const WebSocket&) = delete;

  void Start();
  // One message; dropped unless the connection is open. Over kMaxUnsentBytes the connection is
  // given up. Text must be UTF-8.
  void Send(std::string bytes);
  void Send(std::string bytes, MessageKind kind);
  // Gives the connection, or the attempt, up: closes it with this code in the background, drops
  // what is unsent, and tells OnClosed(why) in the loop's next step. Without effect while there is
  // no connection or attempt.
  void Fail(uint16_t code, absl::Status why);
  // Sends what is unsent, closes with 1000, and then calls `done` from the loop, at the latest
  // after close_timeout. The user is not told of anything from now on. `done` is dropped if the
  // WebSocket is destroyed before.
  void Stop(std::function<void()> done);

 private:
  class Impl;

  // Shared with the connection and with steps that wait in the loop, which know it weakly. A call
  // of the user holds it, since the user may destroy the WebSocket.
  const std::shared_ptr<Impl> impl_;
};

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_SOCKET_WEB_SOCKET_H_
