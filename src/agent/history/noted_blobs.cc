#include "agent/history/noted_blobs.h"

namespace cursorwire::agent {

void NotedBlobs::Note(std::string_view id, size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (index_.Touch(id) || !index_.MakeRoom(bytes).ok()) return;
  index_.Add(id, bytes);
}

std::vector<std::string> NotedBlobs::noted() const {
  const std::lock_guard lock(mutex_);
  return index_.ids();
}

size_t NotedBlobs::bytes() const {
  const std::lock_guard lock(mutex_);
  return index_.total_bytes();
}

absl::Status NotedBlobs::Set(std::string_view id, std::string_view bytes) {
  absl::Status status = blobs_->Set(id, bytes);
  if (status.ok()) Note(id, bytes.size());
  return status;
}

std::optional<std::string> NotedBlobs::Get(std::string_view id) const {
  std::optional<std::string> bytes = blobs_->Get(id);
  if (bytes) {
    const std::lock_guard lock(mutex_);
    index_.Touch(id);
  }
  return bytes;
}

}  // namespace cursorwire::agent
