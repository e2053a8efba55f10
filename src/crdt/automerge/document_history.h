#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_HISTORY_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_HISTORY_H_

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include "crdt/automerge/chunk.h"
#include "crdt/automerge/document_codec.h"
#include "crdt/automerge/work_budget.h"

namespace cursorwire::automerge {

// Makes the changes of a document again, from the operations that it keeps: calls `visit` with the
// chunk of each, after those that it depends on. Whether they are right says their hashes: the
// heads must come out. Memory: about 70 bytes for each typed character, 300 for each other
// operation. `budget`: of what comes from a peer.
//   kInvalidArgument    the document makes no sense
//   kResourceExhausted  over a limit, also one of CheckCounts(), or over the budget
//   else                what `visit` returns
absl::Status ForEachChange(const DocumentHead& document, const HistoryLimits& limits,
                           WorkBudget* budget, absl::FunctionRef<absl::Status(const Chunk&)> visit);

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_HISTORY_H_
