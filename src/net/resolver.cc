#include "net/resolver.h"

#include <absl/strings/str_cat.h>
#include <netdb.h>

#include <cstring>
#include <thread>
#include <utility>

#include "base/error.h"
#include "net/thread.h"

namespace cursorwire::net {
namespace {

absl::StatusOr<std::vector<Address>> Resolve(const std::string& host, int port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | flags;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (error != 0) {
    return TransportError(absl::StrCat("no address for ", host, ": ", ::gai_strerror(error)),
                          Replay::kSafe);
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  std::vector<Address> addresses;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    Address address;
    std::memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
    address.size = entry->ai_addrlen;
    addresses.push_back(address);
  }
  return addresses;
}

}  // namespace

absl::StatusOr<std::vector<Address>> ResolveBySystem(const std::string& host, int port) {
  return Resolve(host, port, 0);
}

std::shared_ptr<Lookup> Lookup::Start(const std::string& host, int port,
                                      const std::shared_ptr<Waker>& waker,
                                      const Resolver& resolver) {
  auto lookup = std::make_shared<Lookup>();
  if (auto numeric = Resolve(host, port, AI_NUMERICHOST); numeric.ok()) {
    lookup->SetResult(*std::move(numeric));
    return lookup;
  }
  std::thread thread;
  const bool started = StartThread(thread, [lookup, host, port, waker, resolver] {
    lookup->SetResult(resolver(host, port));
    waker->Wake();
  });
  if (started) {
    thread.detach();
  } else {
    lookup->SetResult(NoThreadError());
  }
  return lookup;
}

std::optional<absl::StatusOr<std::vector<Address>>> Lookup::result() const {
  const std::lock_guard lock(mutex_);
  return result_;
}

void Lookup::SetResult(absl::StatusOr<std::vector<Address>> result) {
  const std::lock_guard lock(mutex_);
  result_ = std::move(result);
}

}  // namespace cursorwire::net
