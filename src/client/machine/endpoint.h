#ifndef CURSORWIRE_SRC_CLIENT_MACHINE_ENDPOINT_H_
#define CURSORWIRE_SRC_CLIENT_MACHINE_ENDPOINT_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "client/machine/process_environment.h"
#include "cursorwire/connect/channel_options.h"

namespace cursorwire {

// Source: docs/protocol.md, endpoint.
inline constexpr std::string_view kDefaultAgentEndpoint = "https://agentn.us.api5.cursor.sh";
inline constexpr std::string_view kDefaultApiEndpoint = "https://api2.cursor.sh";

// These functions choose the URLs to which a token is sent. A URL from the environment or a file
// that does not parse is skipped. The first one that parses decides: it is refused if its host is
// neither the service's nor this machine, instead of silently using another host.
//   kInvalidArgument  the URL is not allowed, or `configured` does not parse; the message says
//                     where the URL came from

// The endpoint of agent.v1: the first of these that is set: `configured`, the environment variables
// CURSORWIRE_AGENT_URL and CURSOR_AGENT_URL, the official CLI's configuration, the default.
absl::StatusOr<std::string> ResolveAgentEndpoint(const std::string& configured,
                                                 const ProcessEnvironment& process_environment);

// The endpoint of aiserver.v1: the first of these that is set: `configured`, the environment
// variable CURSORWIRE_API_URL, `agent_endpoint` if it is on this machine (so that its token goes
// nowhere else), the default.
absl::StatusOr<std::string> ResolveApiEndpoint(const std::string& configured,
                                               const std::string& agent_endpoint,
                                               const ProcessEnvironment& process_environment);

// Both rules in one: the endpoint of aiserver.v1 for these options of a client.
absl::StatusOr<std::string> ResolveApiUrl(const std::string& endpoint,
                                          const std::string& api_endpoint,
                                          const ProcessEnvironment& process_environment);

// A token would be readable on the way, even if a name of this machine led elsewhere: allows
// "http://" to this machine at most.
void KeepTokensReadableHereAlone(connect::ChannelOptions& options);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_MACHINE_ENDPOINT_H_
