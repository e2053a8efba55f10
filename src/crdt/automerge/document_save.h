#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_SAVE_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_SAVE_H_

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "crdt/automerge/actor_table.h"
#include "crdt/automerge/change_log.h"
#include "crdt/automerge/chunk.h"
#include "crdt/automerge/document_codec.h"
#include "crdt/automerge/op_log.h"
#include "crdt/automerge/sequence.h"

namespace cursorwire::automerge {

// The sequences of a document by the ids of their objects (counter and actor).
using Sequences = absl::flat_hash_map<uint64_t, std::unique_ptr<Sequence>>;

// The body of a document chunk with all of a document; nothing where it has a change that such a
// chunk cannot hold: one whose maker wrote it another way than npm's automerge, or that deletes
// what nothing had set; or where a reader with these limits would refuse it.
std::optional<std::string> SaveDocument(const ActorTable& actors, const OpLog& ops,
                                        const ChangeLog& changes, const Sequences& sequences,
                                        const ChunkLimits& chunk, const HistoryLimits& history);

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_DOCUMENT_SAVE_H_
