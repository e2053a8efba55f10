#include "proxy.h"

#include <absl/strings/escaping.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/strings.h"
#include "base/text.h"
#include "base/url.h"

namespace h2_bridge {
namespace {

using cursorwire::connect::Security;

std::string FirstOf(const Environment& environment, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (std::string value = environment(name); !value.empty()) return value;
  }
  return "";
}

// One entry of `no_proxy`: a host, a domain with or without a dot before it, an address, or `*`.
bool Matches(std::string_view entry, const std::string& host) {
  if (entry == "*") return true;
  if (entry.starts_with('.')) entry.remove_prefix(1);
  if (entry.empty()) return false;
  const std::string name = cursorwire::ToLower(entry);
  return host == name || host.ends_with("." + name);
}

bool IsExcepted(std::string_view list, const Target& target) {
  while (!list.empty()) {
    std::string_view entry = list.substr(0, list.find_first_of(", \t"));
    list.remove_prefix(std::min(list.size(), entry.size() + 1));
    const std::string port = ":" + std::to_string(target.port);
    if (entry.ends_with(port) && entry.find(':') == entry.size() - port.size()) {
      entry.remove_suffix(port.size());
    }
    if (Matches(entry, target.host)) return true;
  }
  return false;
}

absl::StatusOr<Proxy> ParseProxy(std::string_view url) {
  const absl::Status bad =
      absl::InvalidArgumentError("the proxy of the environment is not http://HOST:PORT");
  const auto pieces = cursorwire::SplitUrl(url);
  if (!pieces) return ParseProxy("http://" + std::string(url));
  Proxy proxy;
  if (pieces->user) {
    const std::string user = cursorwire::PercentDecode(*pieces->user);
    proxy.authorization = "Basic " + absl::Base64Escape(user);
  }
  const auto target =
      ParseTarget(std::string(pieces->scheme) + "://" + std::string(pieces->host_and_port));
  if (!target.ok() || target->security != Security::kPlaintext) return bad;
  proxy.host = target->host;
  proxy.port = target->port;
  return proxy;
}

}  // namespace

absl::StatusOr<std::optional<Proxy>> ProxyFor(const Target& target,
                                              const Environment& environment) {
  const std::string url =
      target.security == Security::kTls
          ? FirstOf(environment, {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
          : FirstOf(environment, {"http_proxy", "all_proxy", "ALL_PROXY"});
  if (url.empty() || IsExcepted(FirstOf(environment, {"no_proxy", "NO_PROXY"}), target)) {
    return std::nullopt;
  }
  absl::StatusOr<Proxy> proxy = ParseProxy(url);
  if (!proxy.ok()) return proxy.status();
  return *std::move(proxy);
}

ProxyHandshake::ProxyHandshake(const Proxy& proxy, const Target& target) {
  const bool ip6 = target.host.find(':') != std::string::npos;
  const std::string host =
      (ip6 ? "[" + target.host + "]" : target.host) + ":" + std::to_string(target.port);
  request_ = "CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n";
  if (!proxy.authorization.empty()) {
    request_ += "Proxy-Authorization: " + proxy.authorization + "\r\n";
  }
  request_ += "\r\n";
}

absl::StatusOr<std::optional<std::string>> ProxyHandshake::Receive(std::string_view bytes) {
  answer_.append(bytes);
  const size_t end = answer_.find("\r\n\r\n");
  if (end == answer_.npos || end > kMaxProxyHeadBytes) {
    if (answer_.size() <= kMaxProxyHeadBytes) return std::nullopt;
    return absl::UnavailableError("the head of the proxy's answer is over " +
                                  std::to_string(kMaxProxyHeadBytes) + " bytes");
  }
  const bool http = answer_.starts_with("HTTP/1.") && answer_.size() > 12 && answer_[8] == ' ';
  if (!http) return absl::UnavailableError("the proxy does not speak HTTP/1.1");
  if (answer_[9] != '2') {
    return absl::UnavailableError("the proxy refuses the tunnel: HTTP " + answer_.substr(9, 3));
  }
  return answer_.substr(end + 4);
}

}  // namespace h2_bridge
