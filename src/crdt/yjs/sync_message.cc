#include "crdt/yjs/sync_message.h"

#include <absl/status/status.h>
#include <absl/strings/str_cat.h>

#include "crdt/bytes/byte_reader.h"
#include "crdt/bytes/byte_writer.h"
#include "crdt/yjs/primitives.h"

namespace cursorwire::yjs {

absl::StatusOr<SyncMessage> ReadSyncMessage(std::string_view bytes) {
  crdt::ByteReader reader(bytes);
  const uint64_t kind = TakeNumber(reader);
  if (kind > static_cast<uint64_t>(SyncKind::kUpdate)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a Yjs sync message of the unknown kind ", kind));
  }
  const SyncMessage message{.kind = static_cast<SyncKind>(kind), .payload = reader.TakeString()};
  if (reader.failed() || !reader.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("a Yjs sync message of ", bytes.size(),
                                                   " bytes has another length than it says"));
  }
  return message;
}

std::string WriteSyncMessage(const SyncMessage& message) {
  std::string out;
  crdt::AppendUint(out, static_cast<uint64_t>(message.kind));
  crdt::AppendString(out, message.payload);
  return out;
}

}  // namespace cursorwire::yjs
