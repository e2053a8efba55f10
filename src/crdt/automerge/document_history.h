#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_HISTORY_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_HISTORY_H_

#include <absl/functional/function_ref.h>
#include <absl/status/status.h>

#include <cstdint>
#include <string_view>

#include "crdt/automerge/document_codec.h"

namespace cursorwire::automerge {

// Makes the changes of a document again, from the operations that it keeps: calls `visit` with the
// body of each, after those that it depends on. Whether they are right says their hashes: the heads
// must come out. Memory: about 150 bytes for each operation.
//   kInvalidArgument    the document makes no sense
//   kResourceExhausted  it has more than `max_ops` operations, or claims more than its bytes can
//   hold what `visit` returns
absl::Status ForEachChange(const DocumentHead& document, uint64_t max_ops,
                           absl::FunctionRef<absl::Status(std::string_view body)> visit);

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_HISTORY_H_
