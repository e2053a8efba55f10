#include "cursorwire/blob_store.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "agent/run/sha256.h"
#include "base/error.h"

namespace cursorwire {
namespace {

// Source: docs/protocol.md, blobs.
constexpr size_t kMaxBlobBytes = size_t{32} * 1024 * 1024;
constexpr size_t kMaxTotalBytes = size_t{128} * 1024 * 1024;
// What an entry takes beside its bytes: many tiny blobs are not free.
constexpr size_t kEntryBytes = 256;

}  // namespace

std::string BlobStore::Put(std::string_view bytes) {
  std::string id = agent::Sha256(bytes);
  const std::lock_guard lock(mutex_);
  Insert(id, bytes);
  return id;
}

absl::Status BlobStore::Set(std::string_view id, std::string_view bytes) {
  if (agent::Sha256(bytes) != id) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      absl::StrCat("blob of ", bytes.size(), " bytes does not match its id"));
  }
  const std::lock_guard lock(mutex_);
  const bool fits = bytes.size() <= kMaxBlobBytes && total_bytes_ <= kMaxTotalBytes &&
                    bytes.size() + kEntryBytes <= kMaxTotalBytes - total_bytes_;
  if (!fits && !blobs_.contains(std::string(id))) {
    return LocalError(absl::StatusCode::kResourceExhausted,
                      absl::StrCat("blob of ", bytes.size(), " bytes is over the limit"));
  }
  Insert(std::string(id), bytes);
  return absl::OkStatus();
}

void BlobStore::Insert(std::string id, std::string_view bytes) {
  if (blobs_.try_emplace(std::move(id), bytes).second) total_bytes_ += bytes.size() + kEntryBytes;
}

std::optional<std::string> BlobStore::Get(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto entry = blobs_.find(std::string(id));
  if (entry == blobs_.end()) return std::nullopt;
  return entry->second;
}

}  // namespace cursorwire
