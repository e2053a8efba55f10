#ifndef CURSORWIRE_SRC_CRDT_YJS_CLOCK_RANGES_H_
#define CURSORWIRE_SRC_CRDT_YJS_CLOCK_RANGES_H_

#include <absl/container/btree_map.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "crdt/yjs/id.h"

namespace cursorwire::yjs {

// Makes them ascending; those that touch or overlap become one, empty ones go.
void SortAndJoin(std::vector<ClockRange>& ranges);

// A set of clocks of one client. Thread-compatible.
class ClockRanges {
 public:
  size_t size() const { return ends_.size(); }
  bool empty() const { return ends_.empty(); }
  void Add(const ClockRange& range);
  // Takes out the first range, or what of it is below `clock`; none below it: an empty one.
  ClockRange TakeBelow(uint64_t clock);
  void AppendTo(std::vector<ClockRange>& ranges) const;

 private:
  absl::btree_map<uint64_t, uint64_t> ends_;  // by first clock; they do not touch
};

}  // namespace cursorwire::yjs

#endif  // CURSORWIRE_SRC_CRDT_YJS_CLOCK_RANGES_H_
