#ifndef CURSORWIRE_SRC_TLS_PEER_TEXT_H_
#define CURSORWIRE_SRC_TLS_PEER_TEXT_H_

#include <string>

#include "tls/openssl.h"

namespace cursorwire::tls {

// What was agreed with the peer, and who it is, in words: "TLSv1.3, ALPN h2; certificate of
// CN=localhost, signed by CN=..., good until 2027-11-25". Printable ASCII, bounded. Empty before
// the handshake is done.
std::string DescribePeer(const SSL* ssl);

}  // namespace cursorwire::tls

#endif  // CURSORWIRE_SRC_TLS_PEER_TEXT_H_
