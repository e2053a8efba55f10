#ifndef CURSORWIRE_SRC_AGENT_HISTORY_NOTED_BLOBS_H_
#define CURSORWIRE_SRC_AGENT_HISTORY_NOTED_BLOBS_H_

#include <absl/base/thread_annotations.h>
#include <absl/status/status.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/history/blob_index.h"
#include "cursorwire/blob_store.h"

namespace cursorwire::agent {

// The store of one conversation, which other conversations may share: it notes which blobs the
// service has stored, since any of them may be asked for later, also those that no field of a state
// names that we know. As many are noted as BlobLimits has room for; those that were used least
// recently are forgotten first. Thread-safe. Source: docs/protocol.md, blobs.
class NotedBlobs final : public BlobStore {
 public:
  explicit NotedBlobs(std::shared_ptr<BlobStore> blobs) : blobs_(std::move(blobs)) {}

  // Notes a blob that is in the store already.
  void Note(std::string_view id, size_t bytes);
  // The ids, the least recently used one first. The store may have dropped some.
  std::vector<std::string> noted() const;
  // Of those that are noted, as BlobLimits counts them.
  size_t bytes() const;

  std::string Put(std::string_view bytes) override { return blobs_->Put(bytes); }
  absl::Status Set(std::string_view id, std::string_view bytes) override;
  std::optional<std::string> Get(std::string_view id) const override;
  std::optional<std::string> Peek(std::string_view id) const override { return blobs_->Peek(id); }
  bool Contains(std::string_view id) const override { return blobs_->Contains(id); }
  bool IsHalfFull() const override { return blobs_->IsHalfFull(); }
  void Protect(std::string_view owner, const std::vector<std::string>& ids) override {
    blobs_->Protect(owner, ids);
  }

 private:
  const std::shared_ptr<BlobStore> blobs_;  // shared with other conversations
  mutable std::mutex mutex_;
  mutable BlobIndex index_ ABSL_GUARDED_BY(mutex_){BlobLimits{}};  // a use changes its order
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_HISTORY_NOTED_BLOBS_H_
