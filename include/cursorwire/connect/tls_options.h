// Room: values
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

enum class TlsVersion { kTls12, kTls13 };

// How a client trusts a server, and what it shows of itself. The protocol is always HTTP/2 (ALPN
// `h2`), and certificate and host name are always verified. A value.
struct TlsOptions {
  // PEM text of one or more certificates. If it is not empty, exactly these are trusted, and the
  // system's roots are not even loaded. Default: the system's roots (OpenSSL's default places, or
  // what SSL_CERT_FILE and SSL_CERT_DIR name).
  std::string ca_pem{};
  // PEM text of more certificates to trust beside the system's roots. Not together with `ca_pem`.
  std::string extra_ca_pem{};
  // The name or address that the certificate must have as a subjectAltName, and that is sent as
  // SNI. The common name of its subject does not count (RFC 9525). Default: the host of the URL.
  std::string server_name{};
  // The least that the server must offer.
  TlsVersion min_version = TlsVersion::kTls12;
  // What a server is shown that asks for a client certificate: PEM text of the certificate, with
  // those between it and the authority above it, and of its private key without a passphrase.
  // Both or none.
  std::string client_certificate_pem{};
  std::string client_key_pem{};
  // Whether a connection resumes the TLS session of an earlier one of the same context to the same
  // host, if the server allows it: its certificate is not shown and verified again then. Sessions
  // are kept in memory, until the server's time for them is over, two hours as a rule; and at most
  // until the certificate ends, or a day after it was verified, whichever is sooner.
  bool resume_sessions = true;
};

// Trusted certificates, loaded once and shared by any number of connections, and their TLS
// sessions. Thread-safe. It must outlive none of them: each keeps what it needs.
class CURSORWIRE_EXPORT TlsContext {
 public:
  //   kInvalidArgument  a text of PEM holds no certificate or key, or one that does not parse; key
  //                     and certificate are not of one pair; both ca_pem and extra_ca_pem
  //   kUnavailable      the system's roots cannot be loaded
  static absl::StatusOr<std::shared_ptr<const TlsContext>> Create(const TlsOptions& options);
  virtual ~TlsContext() = default;

 protected:
  TlsContext() = default;
};

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_TLS_OPTIONS_H_
