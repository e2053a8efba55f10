#include "net/address_race.h"

#include <absl/strings/str_cat.h>
#include <sys/socket.h>

#include "base/error.h"

namespace cursorwire::net {

std::vector<Address> Interleave(const std::vector<Address>& addresses) {
  std::vector<Address> first;
  std::vector<Address> second;
  for (const Address& address : addresses) {
    (address.storage.ss_family == AF_INET6 ? first : second).push_back(address);
  }
  std::vector<Address> mixed;
  for (size_t i = 0; i < addresses.size(); ++i) {
    if (i < first.size()) mixed.push_back(first[i]);
    if (i < second.size()) mixed.push_back(second[i]);
  }
  if (mixed.size() > kMaxAddresses) mixed.resize(kMaxAddresses);
  return mixed;
}

std::optional<size_t> AddressRace::TakeDue(connect::TimePoint now) {
  if (begun_ == addresses_ || (next_at_ && *next_at_ > now)) return std::nullopt;
  next_at_ = connect::After(now, kAttemptDelay);
  return begun_++;
}

void AddressRace::OnFailed(const absl::Status& status, FailedWhere where) {
  ++failed_;
  next_at_.reset();
  if (error_.ok() || where == FailedWhere::kNetwork || error_where_ == where) {
    error_ = status;
    error_where_ = where;
  }
}

std::optional<connect::TimePoint> AddressRace::NextDeadline() const {
  if (begun_ == addresses_) return std::nullopt;
  return next_at_.value_or(connect::TimePoint());
}

absl::Status AddressRace::error() const {
  if (addresses_ <= 1) return error_;
  return Annotate(error_, absl::StrCat("tried ", addresses_, " addresses"));
}

}  // namespace cursorwire::net
