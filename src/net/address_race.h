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

// How long one attempt to connect runs alone before the next address is tried in parallel.
// Source: RFC 8305, 5 and 8, "Connection Attempt Delay".
constexpr std::chrono::milliseconds kAttemptDelay{250};
// At most so many addresses of one name are tried.
constexpr size_t kMaxAddresses = 16;

// Alternates between the families, IPv6 first, and keeps the order within each. Cut off at
// kMaxAddresses.
// Source: RFC 8305, 4, with a "First Address Family Count" of 1.
std::vector<Address> Interleave(const std::vector<Address>& addresses);

// Decides when to try which of several addresses (RFC 8305, 5), without a socket or clock.
//
// Order: call TakeDue() until it returns nullopt: at first, after each OnFailed(), and at
// NextDeadline().
// Thread-compatible.
class AddressRace {
 public:
  // Where an attempt failed. A failure that the network reports says more than a local one.
  enum class FailedWhere { kThisMachine, kNetwork };

  explicit AddressRace(size_t addresses) : addresses_(addresses) {}

  // The index of the address to try now; nullopt: no address is due.
  std::optional<size_t> TakeDue(connect::TimePoint now);
  // One attempt failed, so the next address is due at once.
  void OnFailed(const absl::Status& status, FailedWhere where);

  // When the next attempt is due unless one fails before; nullopt: all addresses were begun.
  std::optional<connect::TimePoint> NextDeadline() const;
  // All addresses failed.
  bool lost() const { return failed_ == addresses_; }
  // The last failure that the network reported, or else the last failure. Includes the number of
  // addresses if there was more than one.
  absl::Status error() const;

 private:
  const size_t addresses_;
  size_t begun_ = 0;
  size_t failed_ = 0;
  std::optional<connect::TimePoint> next_at_;  // nullopt: due at once
  absl::Status error_;
  FailedWhere error_where_ = FailedWhere::kThisMachine;
};

}  // namespace cursorwire::net

#endif  // CURSORWIRE_SRC_NET_ADDRESS_RACE_H_
