// Room: src/agent/history
#ifndef CURSORWIRE_BLOB_STORE_H_
#define CURSORWIRE_BLOB_STORE_H_

#include <absl/status/status.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/export.h"

namespace cursorwire {

// Where the blobs of conversations are kept: the service stores the pieces of a conversation with
// the client, under the SHA-256 of their bytes (32 raw bytes), and asks for them in later turns. A
// state without its blobs is worth nothing. One store may serve many conversations.
//
// Bounded: 32 MiB a blob of the server, and BlobLimits::total_bytes in all. When the store is full,
// the blobs that were used least recently make room, but never those that somebody protects.
// MemoryBlobStore keeps them in memory, OpenBlobFolder() (session_file.h) in a folder.
// Implementations are thread-safe. Source: docs/protocol.md, blobs.
class CURSORWIRE_EXPORT BlobStore {
 public:
  virtual ~BlobStore() = default;

  // Stores a blob of our own, whatever the bound, and returns its id.
  virtual std::string Put(std::string_view bytes) = 0;
  // Stores a blob under the id that the server gave it.
  //   kInvalidArgument    the id is not the SHA-256 of the bytes
  //   kResourceExhausted  over a bound, even after others made room
  //   and what the operating system says about a disk
  virtual absl::Status Set(std::string_view id, std::string_view bytes) = 0;
  // The bytes; nullopt: there is no such blob, and what refers to it is lost.
  virtual std::optional<std::string> Get(std::string_view id) const = 0;
  virtual bool Contains(std::string_view id) const = 0;

  // More than half of the bound is in use: whoever needs blobs of this store protects them now. To
  // find out which they are costs time, and mostly there is room enough.
  virtual bool IsHalfFull() const = 0;
  // Keeps these blobs until the same owner protects others in their place. An owner is a name, such
  // as the id of a conversation. Without ids, nothing is protected for it.
  virtual void Protect(std::string_view owner, const std::vector<std::string>& ids) = 0;

  // Get() that counts as no use: for whoever copies or looks through what is there. A store that
  // keeps no order of uses need not have its own.
  virtual std::optional<std::string> Peek(std::string_view id) const { return Get(id); }
};

// A value. Source: docs/protocol.md, blobs.
struct BlobLimits {
  // Each blob counts 256 bytes more than it has.
  size_t total_bytes = size_t{128} * 1024 * 1024;
};

// Blobs in memory, for as long as the store lives.
class CURSORWIRE_EXPORT MemoryBlobStore final : public BlobStore {
 public:
  explicit MemoryBlobStore(BlobLimits limits = {});
  ~MemoryBlobStore() override;

  std::string Put(std::string_view bytes) override;
  absl::Status Set(std::string_view id, std::string_view bytes) override;
  std::optional<std::string> Get(std::string_view id) const override;
  bool Contains(std::string_view id) const override;
  bool IsHalfFull() const override;
  void Protect(std::string_view owner, const std::vector<std::string>& ids) override;
  std::optional<std::string> Peek(std::string_view id) const override;

 private:
  class CURSORWIRE_HIDDEN Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_BLOB_STORE_H_
