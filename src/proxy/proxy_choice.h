#ifndef CURSORWIRE_SRC_PROXY_PROXY_CHOICE_H_
#define CURSORWIRE_SRC_PROXY_PROXY_CHOICE_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/url.h"

namespace cursorwire::proxy {

enum class ProxyKind : uint8_t {
  kHttp,     // CONNECT (RFC 9110, 9.3.6)
  kHttps,    // the same over TLS
  kSocks5,   // RFC 1928, with addresses
  kSocks5h,  // the same, with names, which the proxy looks up
};

// Who may use a proxy.
struct ProxyUser {
  std::string name{};
  std::string password{};
};

// A server that makes connections for others. A value; it may hold a password.
struct Proxy {
  ProxyKind kind = ProxyKind::kHttp;
  std::string host{};  // lower case, without brackets
  int port = 0;
  std::optional<ProxyUser> user{};
};

// What a user has asked for.
struct ProxyChoice {
  // Of --proxy. Counts for every host; "": directly. nullopt: as from_environment says.
  std::optional<std::string> url{};
  bool from_environment = false;
};

// "": the variable is not set.
using Environment = std::function<std::string(const char* name)>;

// The proxy by which `target` is reached; nullopt: directly. docs/proxies.md, "Which proxy". An
// https:// target has the proxy of https_proxy or HTTPS_PROXY, an http:// one that of http_proxy,
// else both that of all_proxy or ALL_PROXY, unless it is this machine, or no_proxy or NO_PROXY has
// it. The password of a user that is in ProxyChoice::url comes from CURSORWIRE_PROXY_PASSWORD.
//   kInvalidArgument  it is not the URL of a proxy. The URL is not quoted: it may hold a password
absl::StatusOr<std::optional<Proxy>> ChooseProxy(const Url& target, const ProxyChoice& choice,
                                                 const Environment& environment);

}  // namespace cursorwire::proxy

#endif  // CURSORWIRE_SRC_PROXY_PROXY_CHOICE_H_
