#ifndef CURSORWIRE_SRC_CLIENT_ENDPOINT_H_
#define CURSORWIRE_SRC_CLIENT_ENDPOINT_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "client/surroundings.h"

namespace cursorwire {

// Source: docs/protocol.md, endpoint.
inline constexpr std::string_view kDefaultAgentEndpoint = "https://agentn.us.api5.cursor.sh";
inline constexpr std::string_view kDefaultApiEndpoint = "https://api2.cursor.sh";

// The URLs to send a token to, each the first that there is. A URL of the environment or of a file
// that does not parse is passed over; one that parses decides, and is refused if its host is none
// of the service's and not this machine: another host never takes its place in silence.
//   kInvalidArgument  the URL is not allowed, or `configured` does not parse; the message says
//                     where it came from

// The endpoint of agent.v1: the first that is set of `configured`, the environment variables
// CURSORWIRE_AGENT_URL and CURSOR_AGENT_URL, the configuration of the official CLI, the default.
absl::StatusOr<std::string> ResolveAgentEndpoint(const std::string& configured,
                                                 const Surroundings& surroundings);

// The endpoint of aiserver.v1: the first that is set of `configured`, the environment variable
// CURSORWIRE_API_URL, `agent_endpoint` if that is this machine (so that a token for it goes nowhere
// else), the default.
absl::StatusOr<std::string> ResolveApiEndpoint(const std::string& configured,
                                               const std::string& agent_endpoint,
                                               const Surroundings& surroundings);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_ENDPOINT_H_
