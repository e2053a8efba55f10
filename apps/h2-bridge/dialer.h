#ifndef CURSORWIRE_APPS_H2_BRIDGE_DIALER_H_
#define CURSORWIRE_APPS_H2_BRIDGE_DIALER_H_

#include <absl/status/statusor.h>
#include <cursorwire/connect/time_point.h>
#include <poll.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "address_lookup.h"
#include "base/file_descriptor.h"

namespace h2_bridge {

// Until the next address is tried beside those that do not answer (RFC 8305, 5).
inline constexpr std::chrono::milliseconds kNextAddressDelay{250};

// Makes a TCP connection to a host: the first of its addresses that answers. It has no limit of
// time of its own.
//
// Order: AddTo() before each poll(), AfterPoll() after it, until that returns something; poll() no
// longer than until NextDeadline(). Thread-compatible.
class Dialer {
 public:
  using TimePoint = cursorwire::connect::TimePoint;

  Dialer(const std::string& host, uint16_t port);

  void AddTo(std::vector<pollfd>& entries);
  // The connected socket, which does not block.
  //   kUnavailable  no address is known, or none of them answers
  std::optional<absl::StatusOr<cursorwire::FileDescriptor>> AfterPoll(
      const std::vector<pollfd>& entries, TimePoint now);
  std::optional<TimePoint> NextDeadline() const { return next_start_; }

 private:
  struct Attempt {
    cursorwire::FileDescriptor fd{};
    size_t entry = 0;
  };

  void StartNext(TimePoint now);
  absl::Status Failed(int error) const;

  const std::string name_;  // for messages
  AddressLookup lookup_;
  std::optional<size_t> lookup_entry_;
  bool looked_up_ = false;
  std::vector<SocketAddress> addresses_;
  size_t next_address_ = 0;
  std::optional<TimePoint> next_start_;
  std::vector<Attempt> attempts_;
  int last_error_ = 0;
};

}  // namespace h2_bridge

#endif  // CURSORWIRE_APPS_H2_BRIDGE_DIALER_H_
