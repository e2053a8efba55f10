#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_HISTORY_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_HISTORY_H_

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <cstddef>
#include <cstdint>

#include "crdt/automerge/chunk.h"
#include "crdt/automerge/document_codec.h"

namespace cursorwire::automerge {

struct HistoryLimits {
  size_t max_changes = 5000000;
  uint64_t max_ops = 50000000;
};

// Makes the changes of a document again, from the operations that it keeps: calls `visit` with the
// chunk of each, after those that it depends on. Whether they are right says their hashes: the
// heads must come out. Memory: about 150 bytes for each operation.
//   kInvalidArgument    the document makes no sense
//   kResourceExhausted  over a limit, or it claims more operations than its bytes can hold, or more
//                       changes than it has operations
//   else                what `visit` returns
absl::Status ForEachChange(const DocumentHead& document, const HistoryLimits& limits,
                           absl::FunctionRef<absl::Status(const Chunk&)> visit);

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_HISTORY_H_
