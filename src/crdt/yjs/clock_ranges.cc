#include "crdt/yjs/clock_ranges.h"

#include <algorithm>
#include <iterator>

namespace cursorwire::yjs {

void SortAndJoin(std::vector<ClockRange>& ranges) {
  const auto is_before = [](const ClockRange& a, const ClockRange& b) { return a.clock < b.clock; };
  if (!std::is_sorted(ranges.begin(), ranges.end(), is_before)) {
    std::sort(ranges.begin(), ranges.end(), is_before);
  }
  size_t count = 0;
  for (const ClockRange range : ranges) {
    if (range.length == 0) continue;
    if (count > 0) {
      ClockRange& last = ranges[count - 1];
      if (range.clock <= last.clock + last.length) {
        last.length = std::max(last.length, range.clock + range.length - last.clock);
        continue;
      }
    }
    ranges[count++] = range;
  }
  ranges.resize(count);
}

void ClockRanges::Add(const ClockRange& range) {
  if (range.length == 0) return;
  uint64_t first = range.clock;
  uint64_t end = range.clock + range.length;
  auto next = ends_.upper_bound(first);
  if (next != ends_.begin() && std::prev(next)->second >= first) {
    --next;
    first = next->first;
  }
  while (next != ends_.end() && next->first <= end) {
    end = std::max(end, next->second);
    next = ends_.erase(next);
  }
  ends_.emplace_hint(next, first, end);
}

ClockRange ClockRanges::TakeBelow(uint64_t clock) {
  if (ends_.empty() || ends_.begin()->first >= clock) return {};
  const auto [first, end] = *ends_.begin();
  ends_.erase(ends_.begin());
  if (end > clock) ends_.emplace(clock, end);
  return {.clock = first, .length = std::min(end, clock) - first};
}

void ClockRanges::AppendTo(std::vector<ClockRange>& ranges) const {
  for (const auto& [first, end] : ends_) ranges.push_back({.clock = first, .length = end - first});
}

}  // namespace cursorwire::yjs
