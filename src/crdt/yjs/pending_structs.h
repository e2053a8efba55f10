#ifndef CURSORWIRE_SRC_CRDT_YJS_PENDING_STRUCTS_H_
#define CURSORWIRE_SRC_CRDT_YJS_PENDING_STRUCTS_H_

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "crdt/yjs/clock_ranges.h"
#include "crdt/yjs/id.h"
#include "crdt/yjs/update.h"

namespace cursorwire::yjs {

struct PendingLimits {
  // Of structs that wait for others, and of ranges of deletes; above, the oldest structs are
  // dropped, and of the ranges those that came last.
  size_t max_structs = 100'000;
  size_t max_bytes = size_t{64} * 1024 * 1024;
};

// What came before that which it needs: structs, and deletes of units that are not there. Of each
// client the structs are tried in the order of their clocks, so that only the first of them says
// what it waits for. Thread-compatible. Source: docs/collab/yjs.md, "Items", "Pending".
class PendingStructs {
 public:
  explicit PendingStructs(const PendingLimits& limits) : limits_(limits) {}
  PendingStructs(const PendingStructs&) = delete;
  PendingStructs& operator=(const PendingStructs&) = delete;

  // True once something was dropped, until it is set back.
  bool overflowed() const { return overflowed_; }
  void ResetOverflowed() { overflowed_ = false; }

  // Copies it.
  void Add(const Struct& item);
  // nullptr where nothing of this client waits. Valid until it is removed, or until Add().
  const Struct* First(uint64_t client) const;
  void RemoveFirst(uint64_t client);
  // What the first struct of a client waits for.
  void WaitFor(uint64_t client, const Id& missing);
  // Clients whose first struct waited for a unit of `client` below `next_clock`.
  void TakeReady(uint64_t client, uint64_t next_clock, std::vector<uint64_t>& ready);

  void AddDelete(uint64_t client, const ClockRange& range);
  // Takes the next range of deletes of a client below `next_clock`; of no length where none is.
  ClockRange TakeDelete(uint64_t client, uint64_t next_clock);

  bool empty() const { return ages_.empty() && deletes_.empty(); }
  // Calls `visit(const Struct&)`, ascending by client and clock. They may overlap.
  template <typename Visit>
  void ForEach(Visit visit) const {
    for (const auto& [client, queue] : queues_) {
      for (const auto& [clock, entry] : queue.structs) visit(entry.item);
    }
  }
  template <typename Visit>
  void ForEachDeletes(Visit visit) const {
    for (const auto& [client, ranges] : deletes_) visit(client, ranges);
  }

 private:
  struct Entry {
    Struct item{};
    std::vector<char> bytes{};  // that the views of `item` are of
    uint64_t age = 0;
  };
  struct Queue {
    absl::btree_map<uint64_t, Entry> structs{};  // by clock
    std::optional<Id> missing{};
  };
  using ClientAndClock = std::pair<uint64_t, uint64_t>;

  static size_t CostOf(const Entry& entry) { return sizeof(Entry) + entry.bytes.size(); }
  void Remove(uint64_t client, uint64_t clock);
  void StopWaiting(uint64_t client, Queue& queue);
  void DropOldest();

  const PendingLimits limits_;
  absl::btree_map<uint64_t, Queue> queues_;                       // by client
  absl::btree_map<uint64_t, ClientAndClock> ages_;                // of each struct
  absl::btree_set<std::pair<ClientAndClock, uint64_t>> waiting_;  // what for, and the client
  absl::btree_map<uint64_t, ClockRanges> deletes_;                // by client
  size_t delete_ranges_ = 0;
  size_t bytes_ = 0;
  uint64_t next_age_ = 0;
  bool overflowed_ = false;
};

}  // namespace cursorwire::yjs

#endif  // CURSORWIRE_SRC_CRDT_YJS_PENDING_STRUCTS_H_
