#ifndef CURSORWIRE_SRC_CRDT_YJS_STATE_WRITER_H_
#define CURSORWIRE_SRC_CRDT_YJS_STATE_WRITER_H_

#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "crdt/yjs/item_store.h"
#include "crdt/yjs/pending_structs.h"
#include "crdt/yjs/update.h"

namespace cursorwire::yjs {

// Writes the update that brings a peer from a state vector to all that is here: structs that it
// does not have, and all deletes. Neighbours that are one run are one struct, so that it is what
// Yjs itself would write. For one use; what it was made from must not change before.
class StateWriter {
 public:
  StateWriter(const ItemStore& items, const PendingStructs& pending, const StateVector& theirs,
              size_t max_bytes);

  // nullopt: it would be longer than `max_bytes`, which is noticed before it is all written.
  std::optional<std::string> Write();

 private:
  // The structs of one client, as they are written.
  struct Output {
    uint64_t client = 0;
    uint64_t first_clock = 0;
    uint64_t clock = 0;  // the next one
    uint64_t count = 0;
    std::string structs{};
  };
  // What is known of a client.
  struct Known {
    const ItemStore::Client* client = nullptr;
    std::vector<const Struct*> waiting{};
    const ClockRanges* waiting_deletes = nullptr;
  };
  using ItemPlace = absl::btree_map<uint64_t, ItemIndex>::const_iterator;

  Output StructsOf(uint64_t id, const Known& known);
  void WriteItems(const ItemStore::Client& client, Output& output);
  ItemPlace WriteRun(const ItemStore::Client& client, ItemPlace first, Output& output);
  void WriteWaiting(const Struct& item, Output& output);
  void WriteFrom(Struct item, Output& output);
  Struct StructOf(const Item& item) const;
  std::vector<ClockRange> DeletesOf(const Known& known) const;

  const ItemStore& items_;
  const size_t max_bytes_;
  absl::flat_hash_map<uint64_t, uint64_t> theirs_;
  absl::btree_map<uint64_t, Known, std::greater<>> clients_;
  std::string run_;  // the content of several items
};

}  // namespace cursorwire::yjs

#endif  // CURSORWIRE_SRC_CRDT_YJS_STATE_WRITER_H_
