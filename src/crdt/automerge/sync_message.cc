#include "crdt/automerge/sync_message.h"

#include <absl/status/status.h>

#include <utility>

#include "crdt/automerge/document.h"
#include "crdt/bytes/byte_reader.h"
#include "crdt/bytes/byte_writer.h"

namespace cursorwire::automerge {
namespace {

constexpr uint8_t kVersion1 = 0x42;
constexpr uint8_t kVersion2 = 0x43;

constexpr uint64_t kMaxHashes = 10000;  // of heads, needs, or the last heads of one filter
constexpr uint64_t kMaxHaves = 16;

// Counts above a limit make the message one that cannot be read.
uint64_t TakeCount(crdt::ByteReader& bytes, uint64_t most) {
  const uint64_t count = bytes.TakeUint();
  if (count > most) bytes.Fail();
  return bytes.failed() ? 0 : count;
}

std::vector<ChangeHash> TakeHashes(crdt::ByteReader& bytes) {
  std::vector<ChangeHash> hashes;
  const uint64_t count = TakeCount(bytes, kMaxHashes);
  if (count > bytes.rest().size() / ChangeHash::kSize) bytes.Fail();
  for (uint64_t i = 0; i < count && !bytes.failed(); ++i) {
    hashes.push_back(ChangeHash::From(bytes.Take(ChangeHash::kSize)));
  }
  return hashes;
}

void AppendHashes(std::string& out, const std::vector<ChangeHash>& hashes) {
  crdt::AppendUint(out, hashes.size());
  for (const ChangeHash& hash : hashes) out += hash.view();
}

}  // namespace

ChangeList ChangeList::Take(crdt::ByteReader& reader, uint64_t count) {
  const std::string_view begin = reader.rest();
  for (uint64_t i = 0; i < count && !reader.failed(); ++i) reader.TakeString();
  ChangeList changes;
  if (reader.failed()) return changes;
  changes.bytes_ = begin.substr(0, begin.size() - reader.rest().size());
  changes.size_ = static_cast<size_t>(count);
  return changes;
}

absl::StatusOr<SyncMessage> ReadSyncMessage(std::string_view bytes) {
  crdt::ByteReader reader(bytes);
  SyncMessage result;
  const uint8_t version = reader.TakeByte();
  if (!reader.failed() && version != kVersion1 && version != kVersion2) {
    return absl::InvalidArgumentError("a sync message of an unknown version");
  }
  result.version = version == kVersion1 ? 1 : 2;
  result.heads = TakeHashes(reader);
  result.need = TakeHashes(reader);
  for (uint64_t count = TakeCount(reader, kMaxHaves); count > 0 && !reader.failed(); --count) {
    SyncMessage::Have have{.last_sync = TakeHashes(reader)};
    absl::StatusOr<BloomFilter> filter = BloomFilter::Read(reader.TakeString());
    if (!filter.ok()) return filter.status();
    have.filter = *std::move(filter);
    if (!reader.failed()) result.have.push_back(std::move(have));
  }
  const uint64_t changes = TakeCount(reader, DocumentLimits().max_changes);
  result.changes = ChangeList::Take(reader, changes);
  if (!reader.failed() && !reader.empty()) result.flags = std::string(reader.TakeString());
  if (reader.failed())
    return absl::DataLossError("a sync message is cut short, or has more than it may");
  // What follows belongs to a later version.
  return result;
}

std::string WriteSyncMessage(const SyncMessage& message) {
  std::string out(1, static_cast<char>(message.version == 1 ? kVersion1 : kVersion2));
  AppendHashes(out, message.heads);
  AppendHashes(out, message.need);
  crdt::AppendUint(out, message.have.size());
  for (const SyncMessage::Have& have : message.have) {
    AppendHashes(out, have.last_sync);
    crdt::AppendString(out, have.filter.Write());
  }
  crdt::AppendUint(out, message.changes.size());
  out += message.changes.bytes();
  if (message.flags) crdt::AppendString(out, *message.flags);
  return out;
}

}  // namespace cursorwire::automerge
