#ifndef CURSORWIRE_APPS_H2_BRIDGE_TARGET_H_
#define CURSORWIRE_APPS_H2_BRIDGE_TARGET_H_

#include <absl/status/statusor.h>
#include <cursorwire/connect/tls_options.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/proxy_choice.h"

namespace h2_bridge {

// Where the bridge connects to. A value.
struct Target {
  std::string host{};  // without brackets
  uint16_t port = 443;
  std::string authority{};  // of the requests: host, and the port unless it is the scheme's own
  cursorwire::connect::Security security = cursorwire::connect::Security::kTls;

  // It is this machine: `localhost`, or a whole address of its loopback interface.
  bool is_loopback() const;
};

// Of an `https:` or `http:` URL. Its path and query are ignored: the parent names the path of the
// call in another key.
//   kInvalidArgument  another scheme, no host, a bad port, or a name of a user; the URL is not
//   quoted
absl::StatusOr<Target> ParseTarget(std::string_view url);

// The proxy that the environment names for a target: docs/proxies.md. nullopt: there is none.
//   kInvalidArgument  a bad URL, which is not quoted, or a proxy that is reached over TLS, which
//                     the bridge does not speak to; or one for an `http:` target
absl::StatusOr<std::optional<cursorwire::proxy::Proxy>> ProxyFor(
    const Target& target, const cursorwire::proxy::Environment& environment);

}  // namespace h2_bridge

#endif  // CURSORWIRE_APPS_H2_BRIDGE_TARGET_H_
