#ifndef CURSORWIRE_APPS_H2_BRIDGE_ADDRESS_LOOKUP_H_
#define CURSORWIRE_APPS_H2_BRIDGE_ADDRESS_LOOKUP_H_

#include <absl/status/statusor.h>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/file_descriptor.h"

namespace h2_bridge {

// Addresses of a name that are used.
inline constexpr size_t kMaxLookedUpAddresses = 16;

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

// The addresses of a host, those of IPv6 and IPv4 in turns. getaddrinfo() cannot be interrupted, so
// a name has a thread of its own that nobody waits for. A numeric address is known at once.
class AddressLookup {
 public:
  AddressLookup(const std::string& host, uint16_t port);

  // Readable once Take() has something to say; -1: it has already.
  int fd() const;
  // Only when fd() is readable, or -1.
  //   kUnavailable  the name is unknown, or no thread or descriptor is available
  absl::StatusOr<std::vector<SocketAddress>> Take();

 private:
  struct State;

  // Shared with the thread, which may outlive this.
  std::shared_ptr<State> state_;
};

}  // namespace h2_bridge

#endif  // CURSORWIRE_APPS_H2_BRIDGE_ADDRESS_LOOKUP_H_
