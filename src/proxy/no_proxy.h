#ifndef CURSORWIRE_SRC_PROXY_NO_PROXY_H_
#define CURSORWIRE_SRC_PROXY_NO_PROXY_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cursorwire::proxy {

// A numeric address of a host. A value.
class IpAddress {
 public:
  // nullopt: it is none. An address of IPv6 may be in brackets; one that stands for an address of
  // IPv4 (::ffff:0:0/96) is that one.
  static std::optional<IpAddress> Parse(std::string_view text);

  int bits() const { return is_v4_ ? 32 : 128; }
  bool is_v4() const { return is_v4_; }
  // From the highest byte on, as many as bits() says.
  const std::array<uint8_t, 16>& bytes() const { return bytes_; }
  // Whether the first `prefix` bits of both are the same.
  bool IsIn(const IpAddress& network, int prefix) const;
  bool is_loopback() const;

 private:
  std::array<uint8_t, 16> bytes_{};
  bool is_v4_ = false;
};

// "localhost", a name below it, 127.0.0.0/8 or ::1. `host`: without brackets, in lower case.
bool IsLoopbackHost(std::string_view host);

// Whether NO_PROXY, a list of hosts that are reached directly, has this one: docs/proxies.md,
// "Exceptions". No name is looked up. `host`: without brackets, in lower case.
bool IsInNoProxy(std::string_view list, std::string_view host, int port);

}  // namespace cursorwire::proxy

#endif  // CURSORWIRE_SRC_PROXY_NO_PROXY_H_
