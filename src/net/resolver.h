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

// Asks for the addresses of a host, on a thread of its own: it may take as long as it likes.
using Resolver =
    std::function<absl::StatusOr<std::vector<Address>>(const std::string& host, int port)>;

// The system's resolver: getaddrinfo(), which cannot be interrupted.
//   kUnavailable  the name has no address, or the resolver failed
absl::StatusOr<std::vector<Address>> ResolveBySystem(const std::string& host, int port);

// The addresses of one host, which may take the system's resolver many seconds. Thread-safe.
class Lookup {
 public:
  // Numeric addresses are done at once. For a name, a thread of its own asks `resolver` and wakes
  // `waker` when it knows; it is left to itself if nobody waits any more, so it shares what it
  // writes to. Nobody ever waits for that thread.
  static std::shared_ptr<Lookup> Start(const std::string& host, int port,
                                       const std::shared_ptr<Waker>& waker,
                                       const Resolver& resolver = ResolveBySystem);

  // nullopt until it is known. At least one address, in the order of the resolver.
  //   kUnavailable  the name has no address, or the resolver failed
  std::optional<absl::StatusOr<std::vector<Address>>> result() const;

 private:
  void SetResult(absl::StatusOr<std::vector<Address>> result);

  mutable std::mutex mutex_;
  std::optional<absl::StatusOr<std::vector<Address>>> result_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace cursorwire::net

#endif  // CURSORWIRE_SRC_NET_RESOLVER_H_
