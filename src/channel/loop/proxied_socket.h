#ifndef CURSORWIRE_SRC_CHANNEL_LOOP_PROXIED_SOCKET_H_
#define CURSORWIRE_SRC_CHANNEL_LOOP_PROXIED_SOCKET_H_

#include <absl/functional/function_ref.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "net/socket.h"
#include "proxy/proxy_choice.h"
#include "proxy/tunnel.h"
#include "tls/client_context.h"
#include "tls/transport.h"

namespace cursorwire::connect::internal {

// Whether a proxy has refused to make a tunnel, and would do so again.
enum class ProxyRefusal : uint8_t { kNone, kForNow, kForGood };

// A connected socket to a host, or to a proxy, which is asked for a tunnel to the host first; over
// TLS where the proxy wants it. Thread-compatible.
//
// Order: while wants_write(), or as there are bytes for the host, Write(); Read() when the socket
// is readable. Before is_up(), Write() takes nothing, and what Read() gets is the proxy's.
class ProxiedSocket {
 public:
  ProxiedSocket() = default;  // not valid
  // To the host itself.
  explicit ProxiedSocket(net::Socket socket) : socket_(std::move(socket)) {}
  // To a proxy. `host`: without brackets; for SOCKS 5 with addresses, an address. `context`, of a
  // proxy that is reached over TLS: the trust in it, for HTTP/1.
  //   kInvalidArgument  a name or a login that the proxy's protocol cannot carry
  //   kUnavailable      TLS cannot be begun
  static absl::StatusOr<ProxiedSocket> ToProxy(net::Socket socket, const proxy::Proxy& proxy,
                                               const std::string& host, int port,
                                               const tls::ClientContext* context);

  int fd() const { return socket_.fd(); }
  bool valid() const { return socket_.valid(); }
  void Close() { socket_.Close(); }

  // The host is at the other end.
  bool is_up() const { return leg_ == nullptr || leg_->tunnel == nullptr; }
  // Whether there is something to say to the proxy.
  bool wants_write() const;
  ProxyRefusal refusal() const { return leg_ == nullptr ? ProxyRefusal::kNone : leg_->refusal; }

  // As net::Socket. It may take more than the kernel does: the rest goes first with the next call,
  // for which "" will do. What fails before is_up() is kUnavailable, begins with "the proxy", and
  // may be tried again: the host has seen nothing.
  absl::StatusOr<size_t> Write(std::string_view bytes);
  // Reads once, and calls `take` with what it holds of the host's bytes, which are valid until it
  // returns. The number is that of bytes read, which may be none of the host.
  using TakeBytes = absl::FunctionRef<void(std::string_view bytes)>;
  absl::StatusOr<std::optional<size_t>> Read(std::span<char> buffer, TakeBytes take);

 private:
  // What is between the socket and the host's bytes.
  struct ProxyLeg {
    tls::Transport transport{};               // to the proxy
    std::unique_ptr<proxy::Tunnel> tunnel{};  // nullptr: it is there
    ProxyRefusal refusal = ProxyRefusal::kNone;
  };

  // Says to the proxy what is due.
  absl::Status Greet();
  // False: the kernel does not take all of it now.
  absl::StatusOr<bool> Flush();
  absl::Status Receive(std::string_view bytes, TakeBytes take);
  // Bytes of the proxy, after TLS.
  absl::Status ReceiveOfProxy(std::string_view bytes, TakeBytes take);

  net::Socket socket_;
  std::unique_ptr<ProxyLeg> leg_;  // nullptr: bytes go as they are
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_LOOP_PROXIED_SOCKET_H_
