#ifndef CURSORWIRE_SRC_NET_RESOLVER_H_
#define CURSORWIRE_SRC_NET_RESOLVER_H_

#include <absl/base/thread_annotations.h>
#include <absl/status/statusor.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "net/socket.h"
#include "net/waker.h"

namespace cursorwire::net {

// The addresses of one host, which may take the system's resolver many seconds. Thread-safe.
class Lookup {
 public:
  // Numeric addresses are done at once. For a name, a thread of its own asks the system and wakes
  // `waker` when it knows; it is left to itself if nobody waits any more, so it shares what it
  // writes to.
  static std::shared_ptr<Lookup> Start(const std::string& host, int port,
                                       const std::shared_ptr<Waker>& waker);

  // nullopt until it is known. At least one address, in the order in which to try them.
  //   kUnavailable  the name has no address, or the resolver failed
  std::optional<absl::StatusOr<std::vector<Address>>> result() const;

 private:
  void Run(const std::string& host, int port, int flags);

  mutable std::mutex mutex_;
  std::optional<absl::StatusOr<std::vector<Address>>> result_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace cursorwire::net

#endif  // CURSORWIRE_SRC_NET_RESOLVER_H_
