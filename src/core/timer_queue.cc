#include "core/timer_queue.h"

namespace cursorwire::core {

void TimerQueue::Set(uint64_t key, TimePoint time) {
  Remove(key);
  times_.emplace(key, time);
  order_.emplace(time, key);
}

void TimerQueue::Remove(uint64_t key) {
  const auto entry = times_.find(key);
  if (entry == times_.end()) return;
  order_.erase({entry->second, key});
  times_.erase(entry);
}

std::optional<connect::TimePoint> TimerQueue::next() const {
  if (order_.empty()) return std::nullopt;
  return order_.begin()->first;
}

std::optional<uint64_t> TimerQueue::TakeDue(TimePoint now) {
  if (order_.empty() || order_.begin()->first > now) return std::nullopt;
  const uint64_t key = order_.begin()->second;
  Remove(key);
  return key;
}

}  // namespace cursorwire::core
