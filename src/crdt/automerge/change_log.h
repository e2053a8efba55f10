#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_CHANGE_LOG_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_CHANGE_LOG_H_

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crdt/automerge/change_hash.h"

namespace cursorwire::automerge {

// What is rare in a change.
struct ChangeExtra {
  std::string message{};
  std::string rest{};
  // The whole body, where it is not the one that its operations would be written as.
  std::string body{};

  size_t bytes() const { return message.size() + rest.size() + body.size(); }
  friend bool operator==(const ChangeExtra&, const ChangeExtra&) = default;
};

// The changes of a document but for their operations, numbered in the order in which they were
// applied: each after those that it depends on. Thread-compatible.
class ChangeLog {
 public:
  struct Info {
    uint32_t actor = 0;
    uint32_t start_op = 0;
    uint32_t op_count = 0;
    uint32_t extra = 0;  // in extras_, from 1; 0: none
    int64_t time = 0;
    // In deps_, or, where there is one alone, that one.
    uint32_t deps_at = 0;
    uint32_t deps_count = 0;
  };

  ChangeLog() : indexes_(0, HashOf{this}, SameHash{this}) {}
  ChangeLog(const ChangeLog&) = delete;
  ChangeLog& operator=(const ChangeLog&) = delete;

  size_t size() const { return infos_.size(); }
  // Of all changes that have several.
  size_t deps() const { return deps_.size(); }
  const Info& info(uint32_t change) const { return infos_[change]; }
  const ChangeHash& hash(uint32_t change) const { return hashes_[change]; }
  std::optional<uint32_t> Find(const ChangeHash& hash) const;
  std::span<const uint32_t> DepsOf(uint32_t change) const;
  const ChangeExtra& ExtraOf(uint32_t change) const;
  // Of an actor, in their order.
  std::span<const uint32_t> ChangesOf(uint32_t actor) const;
  // The number of a change among those of its actor, from 1.
  uint64_t SeqOf(uint32_t change) const;

  // Those that are neither among these changes nor what they depend on, in their order. Hashes that
  // are not known do not count.
  std::vector<uint32_t> Since(std::span<const ChangeHash> hashes) const;

  // Those that no other depends on, ascending.
  const std::vector<ChangeHash>& heads() const { return heads_; }
  // For many changes at once, each of which costs the more the more heads there are: until
  // SettleHeads(), heads() stays as it is. A second call of either does nothing.
  void DeferHeads() {
    if (!deferred_from_) deferred_from_ = size();
  }
  void SettleHeads();

  // `info` but for deps and extra.
  void Add(const ChangeHash& hash, Info info, std::span<const uint32_t> deps, ChangeExtra extra);

 private:
  void DropHead(const ChangeHash& hash);
  void DropHeads(std::vector<ChangeHash> gone);

  // The set keeps numbers alone, and finds them by the hashes that they stand for.
  struct HashOf {
    using is_transparent = void;
    const ChangeLog* log;
    size_t operator()(uint32_t change) const { return (*this)(log->hashes_[change]); }
    size_t operator()(const ChangeHash& hash) const {
      return size_t{hash.Word(0)} << 32 | hash.Word(4);
    }
  };
  struct SameHash {
    using is_transparent = void;
    const ChangeLog* log;
    bool operator()(uint32_t a, uint32_t b) const { return a == b; }
    bool operator()(uint32_t a, const ChangeHash& b) const { return log->hashes_[a] == b; }
    bool operator()(const ChangeHash& a, uint32_t b) const { return log->hashes_[b] == a; }
  };

  std::vector<Info> infos_;
  std::vector<ChangeHash> hashes_;
  std::vector<uint32_t> deps_;
  std::vector<ChangeExtra> extras_;
  std::vector<std::vector<uint32_t>> of_actors_;
  absl::flat_hash_set<uint32_t, HashOf, SameHash> indexes_;
  std::vector<ChangeHash> heads_;
  std::optional<size_t> deferred_from_;  // the first change that heads_ does not know of
};

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_CHANGE_LOG_H_
