#ifndef CURSORWIRE_SRC_CHANNEL_LOOP_LINK_ROUTE_H_
#define CURSORWIRE_SRC_CHANNEL_LOOP_LINK_ROUTE_H_

#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <string>

#include "base/url.h"
#include "channel/loop/proxied_socket.h"
#include "cursorwire/connect/channel_options.h"
#include "net/resolver.h"
#include "net/socket.h"
#include "net/waker.h"
#include "proxy/proxy_choice.h"
#include "tls/client_context.h"

namespace cursorwire::connect::internal {

// Where links go, and which way. A value.
struct LinkRoute {
  Url url{};
  PlaintextHosts plaintext_hosts = PlaintextHosts::kLoopback;
  std::optional<proxy::Proxy> proxy{};                      // nullopt: directly
  std::shared_ptr<const tls::ClientContext> proxy_trust{};  // of a proxy with TLS; nullptr: others

  // What is connected to, for messages: "h:443", "the proxy p:3128".
  std::string peer() const;
};

// The route to a host. http:// goes directly to this machine, and through no proxy elsewhere.
//   kInvalidArgument  a bad proxy, or one for an http:// host
// Other errors: as TlsContext::Create(), of a proxy with TLS.
absl::StatusOr<LinkRoute> ChooseRoute(const Url& url, const ChannelOptions& options);

// The addresses that a link needs.
struct LinkLookups {
  std::shared_ptr<net::Lookup> peer{};  // what it connects to: the proxy, or else the host
  std::shared_ptr<net::Lookup> host{};  // behind a proxy that wants an address; nullptr: others
};
LinkLookups StartLookups(const LinkRoute& route, const std::shared_ptr<net::Waker>& waker,
                         const net::Resolver& resolver = net::ResolveBySystem);

// A socket that is connected to the route's peer. `host` is the host of the URL, or its address
// where LinkLookups::host has told it. Errors as of ProxiedSocket::ToProxy().
absl::StatusOr<ProxiedSocket> Enter(const LinkRoute& route, net::Socket socket,
                                    const std::string& host);

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_LOOP_LINK_ROUTE_H_
