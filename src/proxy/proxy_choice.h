#ifndef CURSORWIRE_SRC_PROXY_PROXY_CHOICE_H_
#define CURSORWIRE_SRC_PROXY_PROXY_CHOICE_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/url.h"
#include "cursorwire/connect/channel_options.h"

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

  // The host and the port, an address of IPv6 in brackets.
  std::string address() const { return Url{.host = host, .port = port}.address(); }
};

// "": the variable is not set.
using Environment = std::function<std::string(const char* name)>;

// The variable of the environment of this process.
std::string OwnEnvironment(const char* name);

// The proxy by which `target` is reached; nullopt: directly. docs/proxies.md, "Which proxy". Plain
// http:// to this machine is always direct. Of the environment an https:// target has the proxy of
// https_proxy or HTTPS_PROXY, an http:// one that of http_proxy, else both that of all_proxy or
// ALL_PROXY, unless it is this machine, or no_proxy or NO_PROXY has it.
//   kInvalidArgument  it is not the URL of a proxy. The URL is not quoted: it may hold a password
absl::StatusOr<std::optional<Proxy>> ChooseProxy(const Url& target,
                                                 const connect::ProxyChoice& choice,
                                                 const Environment& environment = OwnEnvironment);

}  // namespace cursorwire::proxy

#endif  // CURSORWIRE_SRC_PROXY_PROXY_CHOICE_H_
