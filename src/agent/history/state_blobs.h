#ifndef CURSORWIRE_SRC_AGENT_HISTORY_STATE_BLOBS_H_
#define CURSORWIRE_SRC_AGENT_HISTORY_STATE_BLOBS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/blob_store.h"

namespace cursorwire::agent {

// The blobs that a state of a conversation needs: those that it names, and those that these name in
// turn. A value.
struct StateBlobs {
  std::vector<std::string> found{};  // ids, each once, in the order of the state
  size_t missing = 0;                // how many others the store does not have
};

// At most kMaxStateBlobs ids are followed; the others count as missing. A state that does not parse
// names nothing. Source: docs/protocol.md, checkpoints.
inline constexpr size_t kMaxStateBlobs = 1'000'000;
StateBlobs FindStateBlobs(std::string_view state, const BlobStore& blobs);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_HISTORY_STATE_BLOBS_H_
