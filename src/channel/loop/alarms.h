#ifndef CURSORWIRE_SRC_CHANNEL_LOOP_ALARMS_H_
#define CURSORWIRE_SRC_CHANNEL_LOOP_ALARMS_H_

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "core/timer_queue.h"
#include "cursorwire/connect/time_point.h"

namespace cursorwire::connect::internal {

// The alarms of calls (Call::SetAlarm()), at most one for each, by the serial number of the call.
// Holds a call until its alarm is due or removed. Thread-compatible.
template <typename CallPtr>
class Alarms {
 public:
  // In place of the call's former alarm.
  void Set(uint64_t serial, CallPtr call, TimePoint time) {
    times_.Set(serial, std::max(time, TimePoint()));
    calls_.insert_or_assign(serial, std::move(call));
  }
  void Remove(uint64_t serial) {
    times_.Remove(serial);
    calls_.erase(serial);
  }
  void Clear() {
    times_ = {};
    calls_.clear();
  }

  std::optional<TimePoint> next() const { return times_.next(); }
  // Removes and returns a call whose alarm is due, the earliest first.
  std::optional<CallPtr> TakeDue(TimePoint now) {
    const std::optional<uint64_t> serial = times_.TakeDue(now);
    if (!serial) return std::nullopt;
    const auto entry = calls_.find(*serial);
    std::optional<CallPtr> call = std::move(entry->second);
    calls_.erase(entry);
    return call;
  }

 private:
  core::TimerQueue times_;
  absl::flat_hash_map<uint64_t, CallPtr> calls_;  // those that times_ has
};

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_LOOP_ALARMS_H_
