#ifndef CURSORWIRE_SRC_COLLAB_SOCKET_WEB_SOCKET_ADDRESS_H_
#define CURSORWIRE_SRC_COLLAB_SOCKET_WEB_SOCKET_ADDRESS_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "base/url.h"

namespace cursorwire::collab {

struct WebSocketAddress {
  Url url;             // its path is not used
  std::string target;  // path and query
};

// Errors: see CheckWebSocketUrl().
absl::StatusOr<WebSocketAddress> ParseWebSocketUrl(std::string_view text, bool allow_plaintext);

}  // namespace cursorwire::collab

#endif  // CURSORWIRE_SRC_COLLAB_SOCKET_WEB_SOCKET_ADDRESS_H_
