#include "agent/blob_store.h"

#include <absl/strings/str_cat.h>
#include <openssl/sha.h>

#include "base/error.h"

namespace cursorwire::agent {
namespace {

// Source: docs/protocol.md, blobs.
constexpr size_t kMaxBlobBytes = size_t{32} * 1024 * 1024;
constexpr size_t kMaxTotalBytes = size_t{128} * 1024 * 1024;

}  // namespace

std::string Sha256(std::string_view bytes) {
  std::string digest(SHA256_DIGEST_LENGTH, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
         reinterpret_cast<unsigned char*>(digest.data()));
  return digest;
}

std::string BlobStore::Put(std::string_view bytes) {
  std::string id = Sha256(bytes);
  if (blobs_.try_emplace(id, bytes).second) total_bytes_ += bytes.size();
  return id;
}

absl::Status BlobStore::Set(std::string_view id, std::string_view bytes) {
  if (bytes.size() > kMaxBlobBytes || bytes.size() > kMaxTotalBytes - total_bytes_) {
    return LocalError(absl::StatusCode::kResourceExhausted,
                      absl::StrCat("blob of ", bytes.size(), " bytes is over the limit"));
  }
  if (Sha256(bytes) != id) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      absl::StrCat("blob of ", bytes.size(), " bytes does not match its id"));
  }
  if (blobs_.try_emplace(std::string(id), bytes).second) total_bytes_ += bytes.size();
  return absl::OkStatus();
}

std::optional<std::string_view> BlobStore::Get(std::string_view id) const {
  const auto entry = blobs_.find(std::string(id));
  if (entry == blobs_.end()) return std::nullopt;
  return entry->second;
}

}  // namespace cursorwire::agent
