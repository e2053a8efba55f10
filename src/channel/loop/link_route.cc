#include "channel/loop/link_route.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "base/error.h"

namespace cursorwire::connect::internal {
namespace {

// A proxy is trusted as the host is, but is another one, and is not shown who we are.
absl::StatusOr<std::shared_ptr<const tls::ClientContext>> TrustProxy(const TlsOptions& tls) {
  return tls::ClientContext::Create({.ca_pem = tls.ca_pem,
                                     .extra_ca_pem = tls.extra_ca_pem,
                                     .min_version = tls.min_version,
                                     .resume_sessions = tls.resume_sessions},
                                    tls::Protocol::kHttp1);
}

}  // namespace

std::string LinkRoute::peer() const {
  return proxy ? absl::StrCat("the proxy ", proxy->address()) : url.address();
}

absl::StatusOr<LinkRoute> ChooseRoute(const Url& url, const ChannelOptions& options) {
  LinkRoute route{.url = url, .plaintext_hosts = options.plaintext_hosts};
  absl::StatusOr<std::optional<proxy::Proxy>> proxy = proxy::ChooseProxy(url, options.proxy);
  if (!proxy.ok()) return proxy.status();
  route.proxy = *std::move(proxy);
  if (!route.proxy) return route;
  if (!url.https) {
    return InvalidArgument("http:// does not go through a proxy; use https://, or no proxy");
  }
  if (route.proxy->kind == proxy::ProxyKind::kHttps) {
    auto trust = TrustProxy(options.tls);
    if (!trust.ok()) return trust.status();
    route.proxy_trust = *std::move(trust);
  }
  return route;
}

LinkLookups StartLookups(const LinkRoute& route, const std::shared_ptr<net::Waker>& waker,
                         const net::Resolver& resolver) {
  const auto start = [&](const std::string& host, int port) {
    return net::Lookup::Start(host, port, waker, resolver);
  };
  if (!route.proxy) return {.peer = start(route.url.host, route.url.port)};
  LinkLookups lookups{.peer = start(route.proxy->host, route.proxy->port)};
  if (route.proxy->kind == proxy::ProxyKind::kSocks5) {
    lookups.host = start(route.url.host, route.url.port);
  }
  return lookups;
}

absl::StatusOr<ProxiedSocket> Enter(const LinkRoute& route, net::Socket socket,
                                    const std::string& host) {
  if (!route.proxy) return ProxiedSocket(std::move(socket));
  return ProxiedSocket::ToProxy(std::move(socket), *route.proxy, host, route.url.port,
                                route.proxy_trust.get());
}

}  // namespace cursorwire::connect::internal
