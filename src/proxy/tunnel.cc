#include "proxy/tunnel.h"

#include "proxy/http_connect.h"
#include "proxy/socks5.h"

namespace cursorwire::proxy {

absl::StatusOr<std::unique_ptr<Tunnel>> MakeTunnel(const Proxy& proxy, const std::string& host,
                                                   int port) {
  switch (proxy.kind) {
    case ProxyKind::kHttp:
    case ProxyKind::kHttps:
      return std::make_unique<HttpConnect>(proxy.user, host, port);
    case ProxyKind::kSocks5:
    case ProxyKind::kSocks5h:
      break;
  }
  if (absl::Status status = Socks5::Check(proxy.user, host); !status.ok()) return status;
  return std::make_unique<Socks5>(proxy.user, host, port);
}

}  // namespace cursorwire::proxy
