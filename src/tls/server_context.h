#ifndef CURSORWIRE_SRC_TLS_SERVER_CONTEXT_H_
#define CURSORWIRE_SRC_TLS_SERVER_CONTEXT_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "tls/openssl.h"

namespace cursorwire::tls {

struct ServerIdentity {
  std::string certificate_pem{};
  std::string private_key_pem{};
};

// A server's certificate and settings. Requires ALPN `h2`. Immutable; thread-safe.
class ServerContext {
 public:
  // If `client_ca_pem` is not empty, clients must show a certificate from one of its authorities.
  //   kInvalidArgument  certificates or key do not parse, or do not belong together
  static absl::StatusOr<ServerContext> Create(const ServerIdentity& identity,
                                              std::string_view client_ca_pem = {});

  SSL_CTX* get() const { return context_.get(); }

 private:
  explicit ServerContext(OpenSslPtr<SSL_CTX> context) : context_(std::move(context)) {}

  OpenSslPtr<SSL_CTX> context_;
};

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_SRC_TLS_SERVER_CONTEXT_H_
