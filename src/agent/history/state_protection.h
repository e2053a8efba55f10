#ifndef CURSORWIRE_SRC_AGENT_HISTORY_STATE_PROTECTION_H_
#define CURSORWIRE_SRC_AGENT_HISTORY_STATE_PROTECTION_H_

#include <memory>
#include <string>
#include <utility>

#include "cursorwire/blob_store.h"

namespace cursorwire::agent {

// Keeps the blobs of one state from making room for others, for as long as it lives. To find out
// which they are costs time, so it looks for them once the store is half full. Thread-compatible.
class StateProtection {
 public:
  // `owner`: a name that nobody else has.
  StateProtection(std::shared_ptr<BlobStore> blobs, std::string owner)
      : blobs_(std::move(blobs)), owner_(std::move(owner)) {}
  ~StateProtection();
  StateProtection(const StateProtection&) = delete;
  StateProtection& operator=(const StateProtection&) = delete;

  // Another state takes the place of the former one.
  void Set(std::string state);
  // Call it before a blob is stored.
  void ApplyIfNeeded();
  // The same, whether it is half full or not: others may fill the store meanwhile.
  void Apply();

 private:
  const std::shared_ptr<BlobStore> blobs_;  // shared with other turns
  const std::string owner_;
  std::string state_;  // whose blobs are not protected yet
  bool applied_ = false;
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_HISTORY_STATE_PROTECTION_H_
