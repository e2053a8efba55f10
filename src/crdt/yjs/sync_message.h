#ifndef CURSORWIRE_SRC_CRDT_YJS_SYNC_MESSAGE_H_
#define CURSORWIRE_SRC_CRDT_YJS_SYNC_MESSAGE_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace cursorwire::yjs {

// A message of y-protocols: docs/collab/yjs.md, "Exchange". The numbers are those of the format.
enum class SyncKind : uint8_t {
  kStep1 = 0,   // a state vector: send me what is beyond it
  kStep2 = 1,   // the answer, an update
  kUpdate = 2,  // an update that was not asked for
};

struct SyncMessage {
  SyncKind kind = SyncKind::kStep1;
  std::string_view payload{};  // not read yet
};

// The payload is a view of `bytes`.
//   kInvalidArgument  another kind, cut off, or more than its end
absl::StatusOr<SyncMessage> ReadSyncMessage(std::string_view bytes);
std::string WriteSyncMessage(const SyncMessage& message);

}  // namespace cursorwire::yjs

#endif  // CURSORWIRE_SRC_CRDT_YJS_SYNC_MESSAGE_H_
