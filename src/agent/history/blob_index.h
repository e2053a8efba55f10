#ifndef CURSORWIRE_SRC_AGENT_HISTORY_BLOB_INDEX_H_
#define CURSORWIRE_SRC_AGENT_HISTORY_BLOB_INDEX_H_

#include <absl/container/flat_hash_map.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/blob_store.h"

namespace cursorwire::agent {

// Source: docs/protocol.md, blobs.
inline constexpr size_t kMaxBlobBytes = size_t{32} * 1024 * 1024;

// The rules that all stores of blobs share: which blobs there are, how much they take, which of
// them are protected, and which make room for another. Not the bytes. Thread-compatible.
class BlobIndex {
 public:
  explicit BlobIndex(BlobLimits limits) : limits_(limits) {}

  // Whether the server may store these bytes under that id.
  //   kInvalidArgument    the id is not their SHA-256
  //   kResourceExhausted  they are over the bound of one blob
  static absl::Status Check(std::string_view id, std::string_view bytes);

  // Chooses the blobs that make room for `bytes` more, and forgets them; the caller drops theirs.
  //   kResourceExhausted  the bytes do not fit, whatever makes room; nothing is forgotten then
  absl::StatusOr<std::vector<std::string>> MakeRoom(size_t bytes);
  // The blob is there now, and the most recently used one.
  void Add(std::string_view id, size_t bytes);
  // It was used. False: there is no such blob.
  bool Touch(std::string_view id);
  void Remove(std::string_view id);
  bool Contains(std::string_view id) const { return blobs_.contains(std::string(id)); }

  // The least recently used one first.
  std::vector<std::string> ids() const { return {order_.begin(), order_.end()}; }

  size_t total_bytes() const { return total_bytes_; }
  bool IsHalfFull() const { return total_bytes_ > limits_.total_bytes / 2; }
  void Protect(std::string_view owner, const std::vector<std::string>& ids);

 private:
  using Order = std::list<std::string>;  // ids, the least recently used one first
  struct Blob {
    size_t bytes = 0;
    Order::iterator place;
  };

  bool IsProtected(const std::string& id) const { return protections_.contains(id); }

  const BlobLimits limits_;
  Order order_;
  absl::flat_hash_map<std::string, Blob> blobs_;
  size_t total_bytes_ = 0;
  absl::flat_hash_map<std::string, std::vector<std::string>> owners_;
  absl::flat_hash_map<std::string, size_t> protections_;  // by id: how many owners
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_HISTORY_BLOB_INDEX_H_
