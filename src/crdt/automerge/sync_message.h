#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_SYNC_MESSAGE_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_SYNC_MESSAGE_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crdt/automerge/bloom_filter.h"
#include "crdt/automerge/change_hash.h"

namespace cursorwire::automerge {

// What a peer tells of itself, and the changes that it sends: docs/collab/automerge.md, "Exchange".
struct SyncMessage {
  // What the sender has: all up to the last heads that both had, and what is in the filter.
  struct Have {
    std::vector<ChangeHash> last_sync{};  // ascending
    BloomFilter filter{};
  };

  // 2: changes may be whole documents, or several chunks.
  uint8_t version = 1;
  std::vector<ChangeHash> heads{};  // ascending
  std::vector<ChangeHash> need{};   // ascending
  std::vector<Have> have{};
  std::vector<std::string> changes{};
  // What the sender understands. We send none: then peers send version 1 with changes alone.
  std::optional<std::string> flags{};
};

//   kInvalidArgument    no message
//   kDataLoss           cut short
//   kResourceExhausted  over a limit
absl::StatusOr<SyncMessage> ReadSyncMessage(std::string_view bytes);
std::string WriteSyncMessage(const SyncMessage& message);

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_SYNC_MESSAGE_H_
