#ifndef CURSORWIRE_SRC_NET_CONNECTOR_H_
#define CURSORWIRE_SRC_NET_CONNECTOR_H_

#include <absl/status/statusor.h>

#include <optional>
#include <vector>

#include "cursorwire/connect/time_point.h"
#include "net/address_race.h"
#include "net/poller.h"
#include "net/socket.h"

namespace cursorwire::net {

// Connects to whichever of several addresses is the first to answer; the attempts to the others are
// closed then. IPv6 goes first, and nobody waits for an address that does not answer: see
// AddressRace.
//
// Order: Advance() at first and at NextDeadline(); for each wait AddTo() and AfterWait(); after
// each of them TakeResult(). Thread-compatible.
class Connector {
 public:
  // At least one address.
  explicit Connector(const std::vector<Address>& addresses);

  // Begins the attempts that are due.
  void Advance(connect::TimePoint now);
  void AddTo(Poller& poller);
  void AfterWait(const Poller& poller);
  std::optional<connect::TimePoint> NextDeadline() const { return race_.NextDeadline(); }

  // nullopt while it is open; else it is of no more use.
  //   kUnavailable  no address can be connected to; the message is the reason alone
  std::optional<absl::StatusOr<Socket>> TakeResult();

 private:
  struct Attempt {
    Socket socket;
    std::optional<size_t> poll_index{};
  };

  const std::vector<Address> addresses_;
  AddressRace race_;
  std::vector<Attempt> attempts_;
  std::optional<Socket> winner_;
};

}  // namespace cursorwire::net

#endif  // CURSORWIRE_SRC_NET_CONNECTOR_H_
