#ifndef CURSORWIRE_SRC_TLS_CLIENT_IDENTITY_H_
#define CURSORWIRE_SRC_TLS_CLIENT_IDENTITY_H_

#include <absl/status/status.h>

#include <string_view>

#include "tls/openssl.h"

namespace cursorwire::tls {

// Gives `context` a certificate to show, with the chain behind it, and its key; both are PEM text.
//   kInvalidArgument  one of them does not parse, or they are not of one pair
absl::Status UseIdentity(std::string_view certificates_pem, std::string_view key_pem,
                         SSL_CTX* context);

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_SRC_TLS_CLIENT_IDENTITY_H_
