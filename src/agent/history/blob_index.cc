#include "agent/history/blob_index.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "base/error.h"
#include "base/sha256.h"

namespace cursorwire::agent {
namespace {

// What an entry takes beside its bytes: many tiny blobs are not free.
constexpr size_t kEntryBytes = 256;

}  // namespace

absl::Status BlobIndex::Check(std::string_view id, std::string_view bytes) {
  if (Sha256(bytes) != id) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      absl::StrCat("blob of ", bytes.size(), " bytes does not match its id"));
  }
  if (bytes.size() > kMaxBlobBytes) {
    return LocalError(absl::StatusCode::kResourceExhausted,
                      absl::StrCat("blob of ", bytes.size(), " bytes is over the limit"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> BlobIndex::MakeRoom(size_t bytes) {
  std::vector<std::string> evicted;
  const size_t wanted = bytes + kEntryBytes;
  size_t total = total_bytes_;
  for (auto id = order_.begin(); total + wanted > limits_.total_bytes && id != order_.end(); ++id) {
    if (IsProtected(*id)) continue;
    total -= blobs_.find(*id)->second.bytes;
    evicted.push_back(*id);
  }
  if (total + wanted > limits_.total_bytes) {
    return LocalError(absl::StatusCode::kResourceExhausted,
                      absl::StrCat("blob of ", bytes, " bytes is over the limit of all blobs"));
  }
  for (const std::string& id : evicted) Remove(id);
  return evicted;
}

void BlobIndex::Add(std::string_view id, size_t bytes) {
  if (Touch(id)) return;
  order_.emplace_back(id);
  blobs_.emplace(std::string(id),
                 Blob{.bytes = bytes + kEntryBytes, .place = std::prev(order_.end())});
  total_bytes_ += bytes + kEntryBytes;
}

bool BlobIndex::Touch(std::string_view id) {
  const auto blob = blobs_.find(std::string(id));
  if (blob == blobs_.end()) return false;
  order_.splice(order_.end(), order_, blob->second.place);
  return true;
}

void BlobIndex::Remove(std::string_view id) {
  const auto blob = blobs_.find(std::string(id));
  if (blob == blobs_.end()) return;
  total_bytes_ -= blob->second.bytes;
  order_.erase(blob->second.place);
  blobs_.erase(blob);
}

void BlobIndex::Protect(std::string_view owner, const std::vector<std::string>& ids) {
  for (const std::string& id : ids) ++protections_[id];
  const auto former = owners_.find(std::string(owner));
  if (former != owners_.end()) {
    for (const std::string& id : former->second) {
      const auto protection = protections_.find(id);
      if (--protection->second == 0) protections_.erase(protection);
    }
    owners_.erase(former);
  }
  if (!ids.empty()) owners_.emplace(std::string(owner), ids);
}

}  // namespace cursorwire::agent
