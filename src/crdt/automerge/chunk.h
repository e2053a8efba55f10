#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_CHUNK_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_CHUNK_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/sha256.h"
#include "crdt/automerge/change_hash.h"
#include "crdt/automerge/work_budget.h"
#include "crdt/bytes/byte_reader.h"

namespace cursorwire::automerge {

// The frame of all that Automerge stores: docs/collab/automerge.md, "Chunks".
enum class ChunkType : uint8_t { kDocument = 0, kChange = 1 };

struct ChunkLimits {
  size_t max_body_bytes = size_t{64} * 1024 * 1024;
  // Of what was deflated, and how many times its size it may become: deflate makes no more of the
  // same byte over and over than 1032.
  size_t max_inflated_bytes = size_t{256} * 1024 * 1024;
  size_t max_inflation = 1100;
};

struct Chunk {
  ChunkType type = ChunkType::kChange;
  // Of a change: its name, also where it came deflated.
  ChangeHash hash{};
  // As it was read; empty where it was deflated.
  std::string_view plain{};
  std::string inflated{};

  std::string_view body() const { return plain.empty() ? std::string_view(inflated) : plain; }
};

// Takes the next chunk from the front of `bytes`; what it returns is valid as long as they are.
// `budget`: of what comes from a peer.
//   kDataLoss           the bytes end within it, or its checksum is not that of its bytes
//   kInvalidArgument    no chunk, or of a type that is not known
//   kResourceExhausted  over a limit
absl::StatusOr<Chunk> TakeChunk(crdt::ByteReader& bytes, Sha256Hasher& hasher,
                                const ChunkLimits& limits = {}, WorkBudget* budget = nullptr);

// Raw deflated data of a chunk, under its limits.
//   kInvalidArgument, kResourceExhausted  as above
absl::StatusOr<std::string> InflatePart(std::string_view bytes, const ChunkLimits& limits,
                                        WorkBudget* budget = nullptr);

// The hash of the change with this body. `scratch` is memory for it alone.
ChangeHash HashOfChange(std::string_view body, std::string& scratch, Sha256Hasher& hasher);
// The chunk of the change with this body and hash.
std::string ChangeChunk(std::string_view body, const ChangeHash& hash);
// The chunk of a document with this body.
std::string DocumentChunk(std::string_view body, Sha256Hasher& hasher);

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_CHUNK_H_
