#ifndef CURSORWIRE_SRC_UPSTREAM_SERVER_SOCKET_SERVER_H_
#define CURSORWIRE_SRC_UPSTREAM_SERVER_SOCKET_SERVER_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "cursorwire/connect/tls_options.h"
#include "h2/session.h"
#include "net/socket.h"
#include "tls/server_context.h"
#include "upstream/server/server_connection.h"

namespace cursorwire::upstream {

// Listens on 127.0.0.1 and serves whoever connects, over a ServerConnection each. With TLS it has a
// certificate of its own for "localhost", 127.0.0.1 and ::1.
//
// Order: Open(), then Run() once, on any thread. Thread-compatible.
class SocketServer {
 public:
  // `port` 0: the kernel chooses one.
  //   kUnavailable  the port is in use, or no descriptor is left
  static absl::StatusOr<SocketServer> Open(connect::Security security, uint16_t port = 0);

  int port() const { return listener_.port(); }
  // "https://localhost:1234", or the same with "http".
  std::string url() const;
  // Of the authority to trust; empty without TLS.
  const std::string& ca_pem() const { return ca_pem_; }

  // Serves until `stop_fd` is readable or hung up, and closes all connections.
  // `max_concurrent_streams`: that a client may open on a connection.
  void Run(int stop_fd, Service& service,
           uint32_t max_concurrent_streams = h2::SessionOptions().max_concurrent_streams) const;

 private:
  explicit SocketServer(net::LoopbackListener listener) : listener_(std::move(listener)) {}

  net::LoopbackListener listener_;
  std::optional<tls::ServerContext> context_;
  std::string ca_pem_;
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_SERVER_SOCKET_SERVER_H_
