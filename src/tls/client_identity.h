#ifndef CURSORWIRE_SRC_TLS_CLIENT_IDENTITY_H_
#define CURSORWIRE_SRC_TLS_CLIENT_IDENTITY_H_

#include <absl/status/status.h>

#include <string_view>

#include "tls/openssl.h"

namespace cursorwire::tls {

// Gives `context` the certificate to show, with its chain, and the key; both are PEM text.
//   kInvalidArgument  one of them does not parse, or they do not belong together
absl::Status UseIdentity(std::string_view certificates_pem, std::string_view key_pem,
                         SSL_CTX* context);

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_SRC_TLS_CLIENT_IDENTITY_H_
