#ifndef CURSORWIRE_SRC_TLS_TRUST_H_
#define CURSORWIRE_SRC_TLS_TRUST_H_

#include <absl/status/statusor.h>

#include <string_view>

#include "tls/openssl.h"

namespace cursorwire::tls {

// The certificates that exactly this PEM text holds.
//   kInvalidArgument  no certificate in it, or one that does not parse
absl::StatusOr<OpenSslPtr<X509_STORE>> TrustOnly(std::string_view pem);

// Adds the certificates of `pem` to `store`; errors as TrustOnly().
absl::Status AddTrust(std::string_view pem, X509_STORE* store);

// The system's roots. The only place below net/ that reads files and environment variables, by way
// of OpenSSL: SSL_CERT_FILE, SSL_CERT_DIR, and the places it was built with. Loading a bundle costs
// some 30 ms, so it is called at the first connection that needs it.
//   kUnavailable  OpenSSL could not set the places up
absl::StatusOr<OpenSslPtr<X509_STORE>> TrustSystem();

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_SRC_TLS_TRUST_H_
