#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_SYNC_MESSAGE_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_SYNC_MESSAGE_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crdt/automerge/bloom_filter.h"
#include "crdt/automerge/change_hash.h"
#include "crdt/bytes/byte_reader.h"
#include "crdt/bytes/byte_writer.h"

namespace cursorwire::automerge {

// Strings one after the other in one piece of memory, as they stand in a message: a document may
// have millions of changes.
class ChangeList {
 public:
  // Its strings are views, valid until the list changes.
  class Iterator {
   public:
    explicit Iterator(std::string_view rest) : rest_(rest) {}
    std::string_view operator*() const { return crdt::ByteReader(rest_).TakeString(); }
    Iterator& operator++() {
      crdt::ByteReader reader(rest_);
      reader.TakeString();
      rest_ = reader.rest();
      return *this;
    }
    bool operator==(const Iterator& other) const { return rest_.size() == other.rest_.size(); }

   private:
    std::string_view rest_;
  };

  ChangeList() = default;
  ChangeList(std::initializer_list<std::string_view> changes) {
    for (const std::string_view change : changes) push_back(change);
  }

  void push_back(std::string_view change) {
    crdt::AppendString(bytes_, change);
    ++size_;
  }
  // Takes them from the front of `reader`, which fails where they are cut short.
  static ChangeList Take(crdt::ByteReader& reader, uint64_t count);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Iterator begin() const { return Iterator(bytes_); }
  Iterator end() const { return Iterator({}); }
  // Each with its length in front.
  std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
  size_t size_ = 0;
};

// What a peer tells of itself, and the changes that it sends: docs/collab/automerge.md, "Exchange".
struct SyncMessage {
  // What the sender has: all up to the last heads that both had, and what is in the filter.
  struct Have {
    std::vector<ChangeHash> last_sync{};  // ascending
    BloomFilter filter{};
  };

  // 2: changes may be whole documents, or several chunks.
  uint8_t version = 1;
  std::vector<ChangeHash> heads{};  // ascending
  std::vector<ChangeHash> need{};   // ascending
  std::vector<Have> have{};
  ChangeList changes{};
  // What the sender understands. We send none: then peers send version 1 with changes alone.
  std::optional<std::string> flags{};
};

//   kInvalidArgument    no message
//   kDataLoss           cut short
//   kResourceExhausted  over a limit
absl::StatusOr<SyncMessage> ReadSyncMessage(std::string_view bytes);
std::string WriteSyncMessage(const SyncMessage& message);

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_SYNC_MESSAGE_H_
