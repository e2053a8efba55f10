#ifndef CURSORWIRE_SRC_NET_RESOLVER_H_
#define CURSORWIRE_SRC_NET_RESOLVER_H_

#include <absl/base/thread_annotations.h>
#include <absl/status/statusor.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "net/socket.h"
#include "net/waker.h"

namespace cursorwire::net {

// Looks up the addresses of a host. Called on a thread of its own, so it may take any time.
using Resolver =
    std::function<absl::StatusOr<std::vector<Address>>(const std::string& host, int port)>;

// The system's resolver: getaddrinfo(), which cannot be interrupted.
//   kUnavailable  the name has no address, or the resolver failed
absl::StatusOr<std::vector<Address>> ResolveBySystem(const std::string& host, int port);

// A lookup of the addresses of one host. The system's resolver may take many seconds. Thread-safe.
class Lookup {
 public:
  // A numeric address is done at once. For a name, a separate thread calls `resolver` and wakes
  // `waker` when the result is known. Nobody waits for that thread, which may outlive the caller,
  // so it shares ownership of what it writes to.
  static std::shared_ptr<Lookup> Start(const std::string& host, int port,
                                       const std::shared_ptr<Waker>& waker,
                                       const Resolver& resolver = ResolveBySystem);

  // nullopt until the lookup is done. At least one address, in the resolver's order.
  //   kUnavailable  the name has no address, or the resolver failed
  std::optional<absl::StatusOr<std::vector<Address>>> result() const;

 private:
  void SetResult(absl::StatusOr<std::vector<Address>> result);

  mutable std::mutex mutex_;
  std::optional<absl::StatusOr<std::vector<Address>>> result_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace cursorwire::net

#endif  // CURSORWIRE_SRC_NET_RESOLVER_H_
