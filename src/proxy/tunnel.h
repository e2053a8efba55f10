#ifndef CURSORWIRE_SRC_PROXY_TUNNEL_H_
#define CURSORWIRE_SRC_PROXY_TUNNEL_H_

#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/proxy_choice.h"

namespace cursorwire::proxy {

// What is said to a proxy before a connection goes through it: docs/proxies.md, "Tunnels". No I/O.
//
// Order: TakeOutput() is sent, now and after each Receive(), until that returns bytes or fails.
// Memory: kMaxProxyHeadBytes. Thread-compatible.
class Tunnel {
 public:
  virtual ~Tunnel() = default;

  // What is to be sent now; "": nothing.
  virtual std::string TakeOutput() = 0;
  // nullopt: the tunnel is not there yet. Else it is, and these bytes have come from its other end.
  //   kUnavailable  the proxy refuses, or does not speak as one; nothing has reached the target
  virtual absl::StatusOr<std::optional<std::string>> Receive(std::string_view bytes) = 0;
  // After such an error: the proxy will say the same once more, such as that it knows no such user.
  bool refuses_for_good() const { return refuses_for_good_; }

 protected:
  void RefuseForGood() { refuses_for_good_ = true; }

 private:
  bool refuses_for_good_ = false;
};

// What to do about a proxy that wants a login, for the end of a message.
inline constexpr char kLoginAdvice[] =
    "put them into its URL in the environment, or name the user in --proxy and set "
    "CURSORWIRE_PROXY_PASSWORD";

// To a host and port; the host without brackets. For kSocks5 it must be an address. Over TLS to the
// proxy a kHttps proxy speaks as a kHttp one.
//   kInvalidArgument  a host, user or password that the proxy's protocol cannot carry
absl::StatusOr<std::unique_ptr<Tunnel>> MakeTunnel(const Proxy& proxy, const std::string& host,
                                                   int port);

}  // namespace cursorwire::proxy

#endif  // CURSORWIRE_SRC_PROXY_TUNNEL_H_
