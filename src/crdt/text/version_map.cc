#include "crdt/text/version_map.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace cursorwire::crdt {

void VersionMap::OnReplaced(uint32_t at, uint32_t deleted, uint32_t inserted) {
  at = std::min(at, length_);
  deleted = std::min(deleted, length_ - at);
  const uint32_t kept = length_ - deleted;
  inserted = std::min(inserted, std::numeric_limits<uint32_t>::max() - kept);
  if (deleted == 0 && inserted == 0) return;
  const uint32_t end = at + deleted;
  length_ = kept + inserted;
  // Wraps if it is less than nothing, and so does what it is added to.
  const uint32_t shift = inserted - deleted;

  if (runs_.empty()) {
    gone_at_ = gone_at_ > end ? gone_at_ + shift : std::min(gone_at_, at);
    return;
  }

  // Those that reach into or touch the change: of these, what is in front of it and what is behind.
  const auto first = std::partition_point(
      runs_.begin(), runs_.end(), [at](const Run& run) { return run.present_at + run.count < at; });
  const auto last = std::partition_point(first, runs_.end(),
                                         [end](const Run& run) { return run.present_at <= end; });
  Run left[2];
  size_t count = 0;
  if (first != last && first->present_at < at) {
    left[count++] = {first->former_at, first->present_at, at - first->present_at};
  }
  if (first != last) {
    const Run& run = *std::prev(last);
    const uint32_t run_end = run.present_at + run.count;
    if (run_end > end) {
      const uint32_t begin = std::max(run.present_at, end);
      const Run behind = {run.former_at + (begin - run.present_at), begin + shift, run_end - begin};
      Run& front = left[0];
      // An insertion between the two may have been taken back.
      if (count > 0 && front.former_at + front.count == behind.former_at &&
          front.present_at + front.count == behind.present_at) {
        front.count += behind.count;
      } else {
        left[count++] = behind;
      }
    }
  }
  for (auto run = last; run != runs_.end(); ++run) run->present_at += shift;

  const auto touched = static_cast<size_t>(last - first);
  const auto reused = std::copy_n(left, std::min(count, touched), first);
  if (count > touched) {
    runs_.insert(reused, left + touched, left + count);
  } else {
    runs_.erase(reused, last);
  }
  if (runs_.empty()) gone_at_ = at;
  if (runs_.size() > kMaxRuns) {
    runs_.erase(std::min_element(runs_.begin(), runs_.end(),
                                 [](const Run& a, const Run& b) { return a.count < b.count; }));
  }
}

void VersionMap::OnChanged(const VersionMap& change) {
  const uint32_t gone_at = change.PlaceOf(runs_.empty() ? gone_at_ : runs_.back().present_at);
  std::vector<Run> runs;
  auto other = change.runs_.begin();
  for (const Run& run : runs_) {
    const uint32_t end = run.present_at + run.count;
    while (other != change.runs_.end() && other->former_at + other->count <= run.present_at) {
      ++other;
    }
    for (; other != change.runs_.end() && other->former_at < end; ++other) {
      const uint32_t begin = std::max(run.present_at, other->former_at);
      const uint32_t other_end = other->former_at + other->count;
      const Run left = {.former_at = run.former_at + (begin - run.present_at),
                        .present_at = other->present_at + (begin - other->former_at),
                        .count = std::min(end, other_end) - begin};
      if (!runs.empty() && runs.back().former_at + runs.back().count == left.former_at &&
          runs.back().present_at + runs.back().count == left.present_at) {
        runs.back().count += left.count;
      } else {
        runs.push_back(left);
      }
      if (other_end > end) break;
    }
  }
  runs_ = std::move(runs);
  length_ = change.length_;
  if (runs_.empty()) gone_at_ = gone_at;
  ForgetShortest();
}

void VersionMap::ForgetShortest() {
  if (runs_.size() <= kMaxRuns) return;
  std::vector<uint32_t> counts;
  for (const Run& run : runs_) counts.push_back(run.count);
  size_t equal = runs_.size() - kMaxRuns;  // to go; then, of the longest of those
  std::nth_element(counts.begin(), counts.begin() + static_cast<ptrdiff_t>(equal - 1),
                   counts.end());
  const uint32_t longest = counts[equal - 1];
  for (const Run& run : runs_) equal -= run.count < longest ? 1 : 0;
  std::erase_if(runs_, [&](const Run& run) {
    if (run.count != longest) return run.count < longest;
    if (equal == 0) return false;
    --equal;
    return true;
  });
}

uint32_t VersionMap::PlaceOf(uint32_t place) const {
  if (runs_.empty()) return gone_at_;
  const auto after = std::partition_point(
      runs_.begin(), runs_.end(), [place](const Run& run) { return run.former_at < place; });
  if (after == runs_.begin()) return after->present_at;
  const Run& run = *std::prev(after);
  return run.present_at + std::min(run.count, place - run.former_at);
}

std::vector<VersionMap::Range> VersionMap::RangesOf(uint32_t at, uint32_t count) const {
  at = std::min(at, former_length_);
  const uint32_t end = at + std::min(count, former_length_ - at);
  std::vector<Range> ranges;
  auto run = std::partition_point(runs_.begin(), runs_.end(), [at](const Run& each) {
    return each.former_at + each.count <= at;
  });
  for (; run != runs_.end() && run->former_at < end; ++run) {
    const uint32_t begin = std::max(at, run->former_at);
    const Range range = {.at = run->present_at + (begin - run->former_at),
                         .count = std::min(end, run->former_at + run->count) - begin};
    if (range.count == 0) continue;
    if (!ranges.empty() && ranges.back().at + ranges.back().count == range.at) {
      ranges.back().count += range.count;
    } else {
      ranges.push_back(range);
    }
  }
  return ranges;
}

}  // namespace cursorwire::crdt
