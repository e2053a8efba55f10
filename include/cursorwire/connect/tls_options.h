#ifndef CURSORWIRE_CONNECT_TLS_OPTIONS_H_
#define CURSORWIRE_CONNECT_TLS_OPTIONS_H_

#include <absl/status/statusor.h>

#include <memory>
#include <string>

#include "cursorwire/export.h"

namespace cursorwire::connect {

enum class Security {
  kTls,
  kPlaintext,  // HTTP/2 with prior knowledge ("h2c"): only where nobody can listen
};

// How a client trusts a server. TLS 1.2 is the minimum, the protocol is always HTTP/2 (ALPN `h2`),
// and certificate and host name are always verified. A value.
struct TlsOptions {
  // PEM text of one or more certificates. If it is not empty, exactly these are trusted, and the
  // system's roots are not even loaded. Default: the system's roots (OpenSSL's default places, or
  // what SSL_CERT_FILE and SSL_CERT_DIR name).
  std::string ca_pem{};
  // The name or address that the certificate must be for, and that is sent as SNI. Default: the
  // host of the URL.
  std::string server_name{};
};

// Trusted certificates, loaded once and shared by any number of connections.
// Immutable; thread-safe. It must outlive none of them: each keeps what it needs.
class CURSORWIRE_EXPORT TlsContext {
 public:
  //   kInvalidArgument  ca_pem holds no certificate, or one that does not parse
  //   kUnavailable      the system's roots cannot be loaded
  static absl::StatusOr<std::shared_ptr<const TlsContext>> Create(const TlsOptions& options);
  virtual ~TlsContext() = default;

 protected:
  TlsContext() = default;
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_TLS_OPTIONS_H_
