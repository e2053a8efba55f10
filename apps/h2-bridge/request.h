#ifndef CURSORWIRE_APPS_H2_BRIDGE_REQUEST_H_
#define CURSORWIRE_APPS_H2_BRIDGE_REQUEST_H_

#include <cursorwire/connect/call_options.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "config.h"

namespace h2_bridge {

// `x-cursor-client-version` unless the environment has PI_CURSOR_CLIENT_VERSION.
inline constexpr char kDefaultClientVersion[] = "cli-2026.08.31-4057e58";

// The HTTP/2 request of one run. Source: docs/bridge.md, "Requests".
cursorwire::connect::CallRequest MakeRequest(const Config& config, std::string_view access_token,
                                             std::string_view client_version,
                                             std::string_view request_id);

// A UUID of version 4 (RFC 9562, 5.4) of 16 random bytes.
std::string FormatUuid(const std::array<uint8_t, 16>& random);

}  // namespace h2_bridge

#endif  // CURSORWIRE_APPS_H2_BRIDGE_REQUEST_H_
