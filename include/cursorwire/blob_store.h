#ifndef CURSORWIRE_BLOB_STORE_H_
#define CURSORWIRE_BLOB_STORE_H_

#include <absl/status/status.h>

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cursorwire/export.h"

namespace cursorwire {

// The blobs of one conversation, in memory: the service keeps the pieces of a conversation with the
// client, under the SHA-256 of their bytes (32 raw bytes), and asks for them in later turns. Give
// the same store to all turns of a conversation; a state without its blobs is worth nothing.
// Bounded: 32 MiB a blob, 128 MiB in all, for blobs of the server.
// Thread-safe. Source: docs/protocol.md, blobs.
class CURSORWIRE_EXPORT BlobStore {
 public:
  // Stores our own blob, without a bound, and returns its id.
  std::string Put(std::string_view bytes);
  // Stores a blob under the id that the server gave it.
  //   kInvalidArgument    the id is not the SHA-256 of the bytes
  //   kResourceExhausted  over one of the bounds
  absl::Status Set(std::string_view id, std::string_view bytes);
  // The bytes; nullopt: there is no such blob, and what refers to it is lost.
  std::optional<std::string> Get(std::string_view id) const;

 private:
  void Insert(std::string id, std::string_view bytes);  // with mutex_ held

  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::string> blobs_;  // guarded by mutex_
  size_t total_bytes_ = 0;                              // guarded by mutex_
};

}  // namespace cursorwire

#endif  // CURSORWIRE_BLOB_STORE_H_
