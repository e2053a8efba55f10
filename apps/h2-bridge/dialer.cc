#include "dialer.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace h2_bridge {
namespace {

int ErrorOf(const cursorwire::FileDescriptor& fd) {
  int error = 0;
  socklen_t size = sizeof(error);
  return ::getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

}  // namespace

Dialer::Dialer(const std::string& host, uint16_t port)
    : name_(host + ":" + std::to_string(port)), lookup_(host, port) {}

void Dialer::AddTo(std::vector<pollfd>& entries) {
  lookup_entry_.reset();
  if (!looked_up_ && lookup_.fd() >= 0) {
    lookup_entry_ = entries.size();
    entries.push_back({.fd = lookup_.fd(), .events = POLLIN, .revents = 0});
  }
  for (Attempt& attempt : attempts_) {
    attempt.entry = entries.size();
    entries.push_back({.fd = attempt.fd.get(), .events = POLLOUT, .revents = 0});
  }
  // What is known already is taken without waiting.
  if (!looked_up_ && lookup_.fd() < 0) next_start_ = TimePoint();
}

std::optional<absl::StatusOr<cursorwire::FileDescriptor>> Dialer::AfterPoll(
    const std::vector<pollfd>& entries, TimePoint now) {
  if (!looked_up_) {
    if (lookup_entry_ && entries[*lookup_entry_].revents == 0) return std::nullopt;
    looked_up_ = true;
    auto addresses = lookup_.Take();
    if (!addresses.ok()) return addresses.status();
    addresses_ = *std::move(addresses);
    StartNext(now);
  } else {
    for (size_t i = 0; i < attempts_.size();) {
      if (entries[attempts_[i].entry].revents == 0) {
        ++i;
        continue;
      }
      const int error = ErrorOf(attempts_[i].fd);
      if (error == 0) return std::move(attempts_[i].fd);
      last_error_ = error;
      attempts_.erase(attempts_.begin() + static_cast<std::ptrdiff_t>(i));
      next_start_ = now;
    }
    if (next_start_ && *next_start_ <= now) StartNext(now);
  }
  if (attempts_.empty()) return Failed(last_error_);
  return std::nullopt;
}

// Addresses that fail at once are passed over.
void Dialer::StartNext(TimePoint now) {
  next_start_.reset();
  while (next_address_ < addresses_.size()) {
    const SocketAddress& address = addresses_[next_address_++];
    cursorwire::FileDescriptor fd(
        ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!fd.valid()) {
      last_error_ = errno;
      continue;
    }
    const int on = 1;
    (void)::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    const auto* raw = reinterpret_cast<const sockaddr*>(&address.storage);
    if (::connect(fd.get(), raw, address.size) != 0 && errno != EINPROGRESS) {
      last_error_ = errno;
      continue;
    }
    attempts_.push_back({.fd = std::move(fd)});
    if (next_address_ < addresses_.size()) {
      next_start_ = cursorwire::connect::After(now, kNextAddressDelay);
    }
    return;
  }
}

absl::Status Dialer::Failed(int error) const {
  return absl::UnavailableError("connect to " + name_ + ": " +
                                std::generic_category().message(error));
}

}  // namespace h2_bridge
