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

// Connects to the address that answers first, and closes the attempts to the others. IPv6 goes
// first, but an address that does not answer does not hold up the others: see AddressRace.
//
// Order: Advance() at first and at NextDeadline(); AddTo() before and AfterWait() after each wait;
// TakeResult() after each of these. Thread-compatible.
class Connector {
 public:
  // `addresses` must not be empty.
  explicit Connector(const std::vector<Address>& addresses);

  // Begins the attempts that are due.
  void Advance(connect::TimePoint now);
  void AddTo(Poller& poller);
  void AfterWait(const Poller& poller);
  std::optional<connect::TimePoint> NextDeadline() const { return race_.NextDeadline(); }

  // nullopt while attempts are running. After a result, this object must not be used any more.
  //   kUnavailable  no address can be connected to; the message is only the reason
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
