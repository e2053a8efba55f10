#include "address_lookup.h"

#include <netdb.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

namespace h2_bridge {
namespace {

// In turns, so that a family that leads nowhere holds nobody up for long.
std::vector<SocketAddress> InTurns(const addrinfo* list) {
  std::vector<SocketAddress> first;
  std::vector<SocketAddress> second;
  for (const addrinfo* at = list; at != nullptr; at = at->ai_next) {
    if (at->ai_addrlen > sizeof(sockaddr_storage)) continue;
    SocketAddress address{.size = at->ai_addrlen};
    std::memcpy(&address.storage, at->ai_addr, at->ai_addrlen);
    (at->ai_family == list->ai_family ? first : second).push_back(address);
  }
  std::vector<SocketAddress> all;
  for (size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    if (i < first.size()) all.push_back(first[i]);
    if (i < second.size()) all.push_back(second[i]);
  }
  if (all.size() > kMaxLookedUpAddresses) all.resize(kMaxLookedUpAddresses);
  return all;
}

using Result = absl::StatusOr<std::vector<SocketAddress>>;

Result LookUp(const std::string& host, uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (error != 0) {
    return absl::UnavailableError("look up " + host + ": " + ::gai_strerror(error));
  }
  std::vector<SocketAddress> addresses = InTurns(list);
  ::freeaddrinfo(list);
  return addresses;
}

}  // namespace

struct AddressLookup::State {
  cursorwire::FileDescriptor done;
  Result result = absl::UnavailableError("not looked up");
};

AddressLookup::AddressLookup(const std::string& host, uint16_t port)
    : state_(std::make_shared<State>()) {
  state_->result = LookUp(host, port, AI_NUMERICHOST);
  if (state_->result.ok()) return;
  cursorwire::FileDescriptor done(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!done.valid()) {
    state_->result = absl::UnavailableError("no descriptor is available to look up " + host);
    return;
  }
  const int fd = done.get();
  state_->done = std::move(done);
  try {
    std::thread([state = state_, host, port, fd] {
      state->result = LookUp(host, port, AI_ADDRCONFIG);
      const uint64_t one = 1;
      (void)!::write(fd, &one, sizeof(one));
    }).detach();
  } catch (const std::system_error&) {
    state_->done.Reset();
    state_->result = absl::UnavailableError("no thread is available to look up " + host);
  }
}

int AddressLookup::fd() const { return state_->done.get(); }

absl::StatusOr<std::vector<SocketAddress>> AddressLookup::Take() {
  // The counter is read for the order of memory that it stands for.
  uint64_t count = 0;
  if (state_->done.valid()) (void)!::read(state_->done.get(), &count, sizeof(count));
  return std::move(state_->result);
}

}  // namespace h2_bridge
