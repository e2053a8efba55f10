#include "proxy/proxy_choice.h"

#include <absl/strings/str_cat.h>

#include <cstdlib>
#include <initializer_list>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "base/text.h"
#include "proxy/no_proxy.h"

namespace cursorwire::proxy {
namespace {

struct Scheme {
  std::string_view name{};
  ProxyKind kind{};
  int port = 0;
};
constexpr Scheme kProxySchemes[] = {{"http", ProxyKind::kHttp, 80},
                                    {"https", ProxyKind::kHttps, 443},
                                    {"socks5", ProxyKind::kSocks5, 1080},
                                    {"socks5h", ProxyKind::kSocks5h, 1080}};

// Where the URL of a proxy comes from.
struct Source {
  std::string name{};  // of the variable; "": the user's own choice
  std::string url{};
};

absl::Status BadProxy(const Source& source, std::string_view why) {
  return InvalidArgument(absl::StrCat(source.name, source.name.empty() ? "" : ": ", ToAbsl(why)));
}

// nullopt: a '%' without two hexadecimal digits.
std::optional<std::string> DecodeStrictly(std::string_view text) {
  for (size_t i = text.find('%'); i != text.npos; i = text.find('%', i + 1)) {
    const std::string_view digits = text.substr(i + 1, 2);
    if (digits.size() < 2 || digits.find_first_not_of("0123456789abcdefABCDEF") != digits.npos) {
      return std::nullopt;
    }
  }
  return PercentDecode(text);
}

absl::StatusOr<ProxyUser> ParseUser(std::string_view text, const Source& source) {
  const size_t colon = text.find(':');
  const auto name = DecodeStrictly(text.substr(0, colon));
  const auto password = DecodeStrictly(colon == text.npos ? "" : text.substr(colon + 1));
  if (!name || !password) {
    return BadProxy(source, "the proxy's user or password has a '%' without two digits behind it");
  }
  return ProxyUser{.name = *name, .password = *password};
}

absl::StatusOr<Proxy> ParseProxy(const Source& source) {
  std::optional<UrlPieces> pieces = SplitUrl(source.url);
  const std::string with_scheme = pieces ? source.url : "http://" + source.url;
  if (!pieces) pieces = SplitUrl(with_scheme);
  const std::string name = ToLower(pieces->scheme);
  const Scheme* scheme = nullptr;
  for (const Scheme& known : kProxySchemes) {
    if (known.name == name) scheme = &known;
  }
  if (scheme == nullptr) {
    return BadProxy(source, "a proxy begins with http://, https://, socks5:// or socks5h://");
  }
  if (pieces->rest.find_first_not_of('/') != std::string_view::npos) {
    return BadProxy(source, "a proxy is SCHEME://[USER@]HOST:PORT, without a path");
  }
  // A URL of the web whose default port is not mistaken for a port that is there.
  absl::StatusOr<Url> url = ParseUrl("https://" + std::string(pieces->host_and_port));
  if (!url.ok()) {
    return BadProxy(source, "the URL of the proxy has no host, or a bad host or port");
  }
  Proxy proxy{.kind = scheme->kind, .host = std::move(url->host), .port = url->port};
  const std::string_view host_and_port = pieces->host_and_port;
  const bool has_port =
      host_and_port.rfind(':') != std::string_view::npos && !host_and_port.ends_with(']');
  if (!has_port) proxy.port = scheme->port;
  if (pieces->user) {
    absl::StatusOr<ProxyUser> user = ParseUser(*pieces->user, source);
    if (!user.ok()) return user.status();
    proxy.user = *std::move(user);
  }
  return proxy;
}

Source FirstSet(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (std::string value = environment(name); !value.empty()) return {name, std::move(value)};
  }
  return {};
}

}  // namespace

std::string OwnEnvironment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

absl::StatusOr<std::optional<Proxy>> ChooseProxy(const Url& target,
                                                 const connect::ProxyChoice& choice,
                                                 const Environment& environment) {
  const bool is_loopback = IsLoopbackHost(target.host);
  if (!target.https && is_loopback) return std::nullopt;
  if (choice.url) {
    if (choice.url->empty()) return std::nullopt;
    absl::StatusOr<Proxy> proxy = ParseProxy({.url = *choice.url});
    if (!proxy.ok()) return proxy.status();
    return *std::move(proxy);
  }
  if (!choice.from_environment || is_loopback) return std::nullopt;
  // HTTP_PROXY is what a client may put into the environment of a CGI program.
  const Source source =
      target.https ? FirstSet(environment, {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
                   : FirstSet(environment, {"http_proxy", "all_proxy", "ALL_PROXY"});
  if (source.url.empty()) return std::nullopt;
  const Source exceptions = FirstSet(environment, {"no_proxy", "NO_PROXY"});
  if (IsInNoProxy(exceptions.url, target.host, target.port)) return std::nullopt;
  absl::StatusOr<Proxy> proxy = ParseProxy(source);
  if (!proxy.ok()) return proxy.status();
  return *std::move(proxy);
}

}  // namespace cursorwire::proxy
