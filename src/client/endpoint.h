#ifndef CURSORWIRE_SRC_CLIENT_ENDPOINT_H_
#define CURSORWIRE_SRC_CLIENT_ENDPOINT_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

namespace cursorwire {

// Source: docs/protocol.md, endpoint.
inline constexpr std::string_view kDefaultEndpoint = "https://agentn.us.api5.cursor.sh";

// The URL to send a token to: `configured`, or the default if that is empty.
//   kInvalidArgument  it does not parse, or its host is none of the service's and not this machine
absl::StatusOr<std::string> ResolveEndpoint(const std::string& configured);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_ENDPOINT_H_
