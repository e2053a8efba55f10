#ifndef CURSORWIRE_SRC_TLS_TRUST_H_
#define CURSORWIRE_SRC_TLS_TRUST_H_

#include <absl/status/statusor.h>

#include <string_view>

#include "tls/openssl.h"

namespace cursorwire::tls {

// Trusts only the certificates in this PEM text.
//   kInvalidArgument  the text has no certificate, or one that does not parse
absl::StatusOr<OpenSslPtr<X509_STORE>> TrustOnly(std::string_view pem);

// Adds the certificates of `pem` to `store`; errors as TrustOnly().
absl::Status AddTrust(std::string_view pem, X509_STORE* store);

// The system's roots, through OpenSSL: SSL_CERT_FILE, SSL_CERT_DIR, and its built-in paths. A
// built-in file is read only where the folder does not have an authority that is looked for; see
// lazy_bundle.h.
//   kUnavailable  OpenSSL could not set up these places
absl::StatusOr<OpenSslPtr<X509_STORE>> TrustSystem();

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_SRC_TLS_TRUST_H_
