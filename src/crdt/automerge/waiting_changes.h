#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_WAITING_CHANGES_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_WAITING_CHANGES_H_

#include <absl/status/status.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.h"
#include "crdt/automerge/change_hash.h"
#include "crdt/automerge/chunk.h"
#include "crdt/automerge/document.h"
#include "crdt/automerge/work_budget.h"

namespace cursorwire::automerge {

struct WaitingLimits {
  // Of changes that wait for others; above, the oldest are dropped.
  size_t max_changes = 10000;
  size_t max_bytes = size_t{64} * 1024 * 1024;
};

// Gives a document the chunks that come for it, in any order: changes that depend on others which
// are not there yet wait for them. The document must outlive it. Thread-compatible.
class WaitingChanges {
 public:
  explicit WaitingChanges(Document& document, const DocumentLimits& limits = {},
                          const WaitingLimits& waiting = {})
      : document_(document), limits_(limits), waiting_limits_(waiting) {}

  // One chunk or several, of changes or documents. What comes before an error is taken. `budget`:
  // of what comes from a peer; it ends where a document is refused, which nobody sends by mistake.
  //   kDataLoss, kInvalidArgument, kResourceExhausted  as of TakeChunk(), and of Document
  absl::Status Add(std::string_view chunks, WorkBudget* budget = nullptr);

  // Those of `heads`, and of all that they depend on as far as it is known, that nobody has sent.
  // Ascending.
  std::vector<ChangeHash> MissingFor(const std::vector<ChangeHash>& heads) const;
  size_t size() const { return waiting_.size(); }

 private:
  struct Waiting {
    uint64_t number = 0;  // in the order in which they came
    std::string chunk;
    std::vector<ChangeHash> deps;
    size_t there = 0;  // of deps: so many of the first ones are known to be there
  };
  bool IsReady(Waiting& waiting) const;

  absl::Status AddDocument(const Chunk& chunk, WorkBudget* budget);
  absl::Status AddChange(const Chunk& chunk, std::string_view bytes, WorkBudget* budget);
  void Keep(const ChangeHash& hash, std::string_view bytes, std::vector<ChangeHash> deps);
  void DropOldest();
  // Those that waited for this change alone are applied, and those that waited for them. What is
  // refused is dropped, also where it is too much work now.
  absl::Status Release(const ChangeHash& hash, WorkBudget* budget);
  absl::Status Apply(std::string_view bytes, WorkBudget* budget);

  Document& document_;
  const DocumentLimits limits_;
  const WaitingLimits waiting_limits_;
  std::map<ChangeHash, Waiting> waiting_;
  std::map<uint64_t, ChangeHash> by_number_;
  // For each change that is missing, those that wait for it; some of them may have been dropped.
  std::multimap<ChangeHash, ChangeHash> waiting_for_;
  size_t bytes_ = 0;
  uint64_t next_number_ = 0;
  Sha256Hasher hasher_;
};

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_WAITING_CHANGES_H_
