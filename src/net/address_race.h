#ifndef CURSORWIRE_SRC_NET_ADDRESS_RACE_H_
#define CURSORWIRE_SRC_NET_ADDRESS_RACE_H_

#include <absl/status/status.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "cursorwire/connect/time_point.h"
#include "net/socket.h"

namespace cursorwire::net {

// How long an attempt to connect runs alone before the next address is tried beside it.
// Source: RFC 8305, 5 and 8, "Connection Attempt Delay".
constexpr std::chrono::milliseconds kAttemptDelay{250};
// Addresses of one name that are tried; more are left alone.
constexpr size_t kMaxAddresses = 16;

// The families in turns, IPv6 first, each in the order it had; cut off behind kMaxAddresses.
// Source: RFC 8305, 4, with a "First Address Family Count" of 1.
std::vector<Address> Interleave(const std::vector<Address>& addresses);

// Says which of several addresses is to be tried when (RFC 8305, 5), without a socket or clock.
//
// Order: TakeDue() until it returns nullopt, at first, after each OnFailed() and at NextDeadline().
// Thread-compatible.
class AddressRace {
 public:
  // Where an attempt failed: a network that answers tells more than one that is not there.
  enum class FailedWhere { kThisMachine, kNetwork };

  explicit AddressRace(size_t addresses) : addresses_(addresses) {}

  // The index of an address to which an attempt is to begin now; nullopt: none is due.
  std::optional<size_t> TakeDue(connect::TimePoint now);
  // One of the attempts failed: the next address need not wait.
  void OnFailed(const absl::Status& status, FailedWhere where);

  // When the next attempt is due if none fails before; nullopt: there is none left.
  std::optional<connect::TimePoint> NextDeadline() const;
  // All addresses were tried in vain.
  bool lost() const { return failed_ == addresses_; }
  // The last failure that the network told of, else the last; with the number of addresses where
  // they are more than one.
  absl::Status error() const;

 private:
  const size_t addresses_;
  size_t begun_ = 0;
  size_t failed_ = 0;
  std::optional<connect::TimePoint> next_at_;  // nullopt: at once
  absl::Status error_;
  FailedWhere error_where_ = FailedWhere::kThisMachine;
};

}  // namespace cursorwire::net

#endif  // CURSORWIRE_SRC_NET_ADDRESS_RACE_H_
