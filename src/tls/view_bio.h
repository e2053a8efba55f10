#ifndef CURSORWIRE_SRC_TLS_VIEW_BIO_H_
#define CURSORWIRE_SRC_TLS_VIEW_BIO_H_

#include <string_view>

#include "tls/openssl.h"

namespace cursorwire::tls {

// A read-only BIO that takes bytes from the front of `unread`, and wants to be asked again when
// there are none: nothing is copied before OpenSSL reads it. `unread` must outlive it, and may be
// set anew at any time.
OpenSslPtr<BIO> ViewBio(std::string_view& unread);

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_SRC_TLS_VIEW_BIO_H_
