#ifndef CURSORWIRE_SRC_CORE_CLIENT_TRANSPORT_H_
#define CURSORWIRE_SRC_CORE_CLIENT_TRANSPORT_H_

#include <absl/status/statusor.h>

#include "cursorwire/connect/connection.h"
#include "tls/transport.h"

namespace cursorwire::core {

// The transport of a new connection, as `options` ask for it: without TLS, or with a handshake that
// has begun.
//   kInvalidArgument  TLS cannot be set up with the options
// Other errors: as TlsContext::Create().
absl::StatusOr<tls::Transport> MakeClientTransport(const connect::ConnectionOptions& options);

}  // namespace cursorwire::core

#endif  // CURSORWIRE_SRC_CORE_CLIENT_TRANSPORT_H_
