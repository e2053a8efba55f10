#include "target.h"

#include <optional>

#include "base/text.h"
#include "base/url.h"

namespace h2_bridge {

bool Target::is_loopback() const { return cursorwire::Url{.host = host}.is_loopback(); }

absl::StatusOr<Target> ParseTarget(std::string_view url) {
  url = cursorwire::Trim(url);
  const std::optional<cursorwire::UrlPieces> pieces = cursorwire::SplitUrl(url);
  if (pieces) url.remove_suffix(pieces->rest.size());  // its bytes do not matter
  if (url.ends_with(':')) url.remove_suffix(1);        // an empty port; RFC 3986, 3.2.3
  const absl::StatusOr<cursorwire::Url> read = cursorwire::ParseUrl(url);
  if (!read.ok()) return read.status();
  return Target{.host = read->host,
                .port = static_cast<uint16_t>(read->port),
                .authority = read->authority(),
                .security = read->https ? cursorwire::connect::Security::kTls
                                        : cursorwire::connect::Security::kPlaintext};
}

absl::StatusOr<std::optional<cursorwire::proxy::Proxy>> ProxyFor(
    const Target& target, const cursorwire::proxy::Environment& environment) {
  const bool has_tls = target.security == cursorwire::connect::Security::kTls;
  auto proxy =
      cursorwire::proxy::ChooseProxy({.https = has_tls, .host = target.host, .port = target.port},
                                     {.from_environment = true}, environment);
  if (!proxy.ok() || !proxy->has_value()) return proxy;
  if (!has_tls) return absl::InvalidArgumentError("an http: URL does not go through a proxy");
  if ((*proxy)->kind == cursorwire::proxy::ProxyKind::kHttps) {
    return absl::InvalidArgumentError(
        "the proxy of the environment is reached over TLS; name one with http:// or socks5h://");
  }
  return proxy;
}

}  // namespace h2_bridge
