#ifndef CURSORWIRE_APPS_H2_BRIDGE_PROXY_H_
#define CURSORWIRE_APPS_H2_BRIDGE_PROXY_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "target.h"

namespace h2_bridge {

// Longest head of a proxy's answer.
inline constexpr size_t kMaxProxyHeadBytes = size_t{16} * 1024;

// An HTTP proxy that makes tunnels (RFC 9110, 9.3.6). A value.
struct Proxy {
  std::string host{};
  uint16_t port = 80;
  std::string authorization{};  // value of `proxy-authorization`; empty: it is not sent
};

// Empty: the variable is not set.
using Environment = std::function<std::string(const char* name)>;

// The proxy that the environment names for `target`: `https_proxy` or `http_proxy`, else
// `all_proxy`, in lower or upper case (`http_proxy` in lower case alone), unless `no_proxy` has the
// host. nullopt: there is none.
//   kInvalidArgument  no `http:` URL; it is not quoted, since it may hold a password
absl::StatusOr<std::optional<Proxy>> ProxyFor(const Target& target, const Environment& environment);

// The request for a tunnel, and the proxy's answer. Order: send request(), then Receive() until it
// returns something other than nullopt. Thread-compatible.
class ProxyHandshake {
 public:
  ProxyHandshake(const Proxy& proxy, const Target& target);

  const std::string& request() const { return request_; }
  // Bytes after the answer, which are the server's, once the tunnel is there.
  //   kUnavailable  the proxy refuses, or speaks no HTTP
  absl::StatusOr<std::optional<std::string>> Receive(std::string_view bytes);

 private:
  std::string request_;
  std::string answer_;
};

}  // namespace h2_bridge

#endif  // CURSORWIRE_APPS_H2_BRIDGE_PROXY_H_
