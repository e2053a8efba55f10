#ifndef CURSORWIRE_SRC_CORE_TIMER_QUEUE_H_
#define CURSORWIRE_SRC_CORE_TIMER_QUEUE_H_

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <utility>

#include "cursorwire/connect/time_point.h"

namespace cursorwire::core {

// At most one point in time for each key, the earliest first. Thread-compatible.
class TimerQueue {
 public:
  using TimePoint = connect::TimePoint;

  // In place of the key's former time.
  void Set(uint64_t key, TimePoint time);
  void Remove(uint64_t key);
  std::optional<TimePoint> next() const;
  // Removes and returns a key whose time is not after `now`.
  std::optional<uint64_t> TakeDue(TimePoint now);

 private:
  absl::btree_set<std::pair<TimePoint, uint64_t>> order_;
  absl::flat_hash_map<uint64_t, TimePoint> times_;
};

}  // namespace cursorwire::core

#endif  // CURSORWIRE_SRC_CORE_TIMER_QUEUE_H_
