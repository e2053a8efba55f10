#ifndef CURSORWIRE_SRC_COLLAB_OCT_LOGIN_SERVER_H_
#define CURSORWIRE_SRC_COLLAB_OCT_LOGIN_SERVER_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/url.h"

namespace cursorwire::oct {

// Bytes of an address that a server names.
constexpr size_t kMaxLoginUrlBytes = 4096;

// Parses the address of a server of rooms. Its path is kept.
//   kInvalidArgument  another scheme than http and https, no host, a user name, a query, a
//                     fragment; http to another machine without `allow_plaintext`
absl::StatusOr<Url> ParseLoginServer(std::string_view text, bool allow_plaintext);

// The address, without a slash at its end.
std::string ServerUrlText(const Url& server);
// Where the WebSocket of a room is: docs/collab/oct.md, "Transport".
std::string RoomSocketUrl(const Url& server);

// The absolute URL of `place`, which the server named. Without a scheme it is below the server's
// path, also with a slash in front. Source: connection-provider.ts, getUrl().
// nullopt: no URL of http or https, a user name in it, too long, or characters that no URL has.
std::optional<std::string> ResolveOnServer(const Url& server, std::string_view place);
// Whether an absolute URL has the server's scheme, host and port.
bool IsOnServer(const Url& server, std::string_view url);

// `text` as one step of a path: all but letters, digits and "-._~" as %XX (RFC 3986, 2.3).
std::string PathStep(std::string_view text);

}  // namespace cursorwire::oct

#endif  // CURSORWIRE_SRC_COLLAB_OCT_LOGIN_SERVER_H_
