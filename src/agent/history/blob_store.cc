#include "cursorwire/blob_store.h"

#include <absl/base/thread_annotations.h>
#include <absl/container/flat_hash_map.h>

#include <mutex>
#include <utility>

#include "agent/history/blob_index.h"
#include "base/sha256.h"

namespace cursorwire {

class MemoryBlobStore::Impl {
 public:
  explicit Impl(BlobLimits limits) : index_(limits) {}

  std::string Put(std::string_view bytes) {
    std::string id = Sha256(bytes);
    const std::lock_guard lock(mutex_);
    // As far as others can make room, they do.
    if (!index_.Contains(id)) Drop(index_.MakeRoom(bytes.size()));
    Insert(id, bytes);
    return id;
  }

  absl::Status Set(std::string_view id, std::string_view bytes) {
    if (absl::Status status = agent::BlobIndex::Check(id, bytes); !status.ok()) return status;
    const std::lock_guard lock(mutex_);
    if (index_.Touch(id)) return absl::OkStatus();
    const auto evicted = index_.MakeRoom(bytes.size());
    if (!evicted.ok()) return evicted.status();
    Drop(evicted);
    Insert(id, bytes);
    return absl::OkStatus();
  }

  std::optional<std::string> Get(std::string_view id) {
    const std::lock_guard lock(mutex_);
    if (!index_.Touch(id)) return std::nullopt;
    return blobs_.find(std::string(id))->second;
  }

  std::optional<std::string> Peek(std::string_view id) {
    const std::lock_guard lock(mutex_);
    const auto blob = blobs_.find(std::string(id));
    if (blob == blobs_.end()) return std::nullopt;
    return blob->second;
  }

  bool Contains(std::string_view id) {
    const std::lock_guard lock(mutex_);
    return index_.Contains(id);
  }

  bool IsHalfFull() {
    const std::lock_guard lock(mutex_);
    return index_.IsHalfFull();
  }

  void Protect(std::string_view owner, const std::vector<std::string>& ids) {
    const std::lock_guard lock(mutex_);
    index_.Protect(owner, ids);
  }

 private:
  void Drop(const absl::StatusOr<std::vector<std::string>>& evicted)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!evicted.ok()) return;
    for (const std::string& id : *evicted) blobs_.erase(id);
  }
  void Insert(std::string_view id, std::string_view bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    index_.Add(id, bytes.size());
    blobs_.try_emplace(std::string(id), bytes);
  }

  std::mutex mutex_;
  agent::BlobIndex index_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, std::string> blobs_ ABSL_GUARDED_BY(mutex_);
};

MemoryBlobStore::MemoryBlobStore(BlobLimits limits) : impl_(std::make_unique<Impl>(limits)) {}
MemoryBlobStore::~MemoryBlobStore() = default;

std::string MemoryBlobStore::Put(std::string_view bytes) { return impl_->Put(bytes); }
absl::Status MemoryBlobStore::Set(std::string_view id, std::string_view bytes) {
  return impl_->Set(id, bytes);
}
std::optional<std::string> MemoryBlobStore::Get(std::string_view id) const {
  return impl_->Get(id);
}
std::optional<std::string> MemoryBlobStore::Peek(std::string_view id) const {
  return impl_->Peek(id);
}
bool MemoryBlobStore::Contains(std::string_view id) const { return impl_->Contains(id); }
bool MemoryBlobStore::IsHalfFull() const { return impl_->IsHalfFull(); }
void MemoryBlobStore::Protect(std::string_view owner, const std::vector<std::string>& ids) {
  impl_->Protect(owner, ids);
}

}  // namespace cursorwire
