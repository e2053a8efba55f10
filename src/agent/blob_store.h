#ifndef CURSORWIRE_SRC_AGENT_BLOB_STORE_H_
#define CURSORWIRE_SRC_AGENT_BLOB_STORE_H_

#include <absl/status/status.h>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace cursorwire::agent {

// Blobs by their id, the SHA-256 of their bytes (32 raw bytes). Bounded: 32 MiB a blob, 128 MiB in
// all, for blobs of the server. Thread-compatible. Source: docs/protocol.md, blobs.
class BlobStore {
 public:
  // Stores our own blob, without a bound, and returns its id.
  std::string Put(std::string_view bytes);
  // Stores a blob under the id that the server gave it.
  //   kInvalidArgument    the id is not the SHA-256 of the bytes
  //   kResourceExhausted  over one of the bounds
  absl::Status Set(std::string_view id, std::string_view bytes);
  // The view is valid as long as the store.
  std::optional<std::string_view> Get(std::string_view id) const;

 private:
  void Insert(const std::string& id, std::string_view bytes);

  std::unordered_map<std::string, std::string> blobs_;  // its elements do not move
  size_t total_bytes_ = 0;
};

std::string Sha256(std::string_view bytes);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_BLOB_STORE_H_
