#include "net/connector.h"

#include <utility>

namespace cursorwire::net {

Connector::Connector(const std::vector<Address>& addresses)
    : addresses_(Interleave(addresses)), race_(addresses_.size()) {}

void Connector::Advance(connect::TimePoint now) {
  if (winner_) return;
  while (const std::optional<size_t> index = race_.TakeDue(now)) {
    absl::StatusOr<Socket> socket = Socket::Connect(addresses_[*index]);
    if (socket.ok()) {
      attempts_.push_back({*std::move(socket)});
    } else {
      race_.OnFailed(socket.status(), AddressRace::FailedWhere::kThisMachine);
    }
  }
}

void Connector::AddTo(Poller& poller) {
  for (Attempt& attempt : attempts_) {
    attempt.poll_index = poller.Add(attempt.socket.fd(), Poller::Interest::kReadWrite);
  }
}

void Connector::AfterWait(const Poller& poller) {
  std::erase_if(attempts_, [&](Attempt& attempt) {
    const std::optional<size_t> index = std::exchange(attempt.poll_index, std::nullopt);
    if (winner_ || !index || !poller.writable(*index)) return false;
    const absl::Status status = attempt.socket.FinishConnect();
    if (status.ok()) {
      winner_ = std::move(attempt.socket);
    } else {
      race_.OnFailed(status, AddressRace::FailedWhere::kNetwork);
    }
    return true;
  });
}

std::optional<absl::StatusOr<Socket>> Connector::TakeResult() {
  if (winner_) {
    attempts_.clear();
    return *std::exchange(winner_, std::nullopt);
  }
  if (race_.lost()) return race_.error();
  return std::nullopt;
}

}  // namespace cursorwire::net
