#ifndef CURSORWIRE_SRC_CRDT_AUTOMERGE_SYNC_STATE_H_
#define CURSORWIRE_SRC_CRDT_AUTOMERGE_SYNC_STATE_H_

#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "crdt/automerge/change_hash.h"
#include "crdt/automerge/document.h"
#include "crdt/automerge/sync_message.h"
#include "crdt/automerge/waiting_changes.h"
#include "crdt/automerge/work_budget.h"

namespace cursorwire::automerge {

// What one side of a connection knows of the other about one document, until both have the same:
// docs/collab/automerge.md, "Exchange". A connection that begins anew needs a new one.
//
// Order: Next() after the connection is there, after each message that was received, and after each
// edit, until it returns nothing; each message that it returns must be sent. Document and changes
// must outlive it. Thread-compatible.
class SyncState {
 public:
  SyncState(Document& document, WaitingChanges& waiting, const WorkLimits& limits = {})
      : document_(document), waiting_(waiting), budget_(limits) {}

  // Takes the changes of a message. The state is right also after an error, which says that a
  // change was refused.
  //   as of WaitingChanges::Add()
  absl::Status Receive(const SyncMessage& message);
  // The rest of the last message was left out: a document in it was refused, or it was more work
  // than WorkLimits allow.
  bool was_cut() const { return budget_.has_ended(); }
  // The next message to send. None where the history of the document is wrong, which Receive()
  // tells.
  std::optional<SyncMessage> Next();

  // The other side has told its heads, they are not empty, and all of it is here.
  bool has_all_of_peer() const;
  // Heads of the other side, as it told them last.
  const std::optional<std::vector<ChangeHash>>& peer_heads() const { return their_heads_; }

 private:
  void ForgetSent(const std::vector<ChangeHash>& heads);
  void NoteHeads(const SyncMessage& message, const std::vector<ChangeHash>& before);
  bool HasAll(const std::vector<ChangeHash>& hashes) const;
  std::vector<SyncMessage::Have> OwnHave(const std::vector<ChangeHash>& need) const;
  std::vector<uint32_t> ChangesToSend() const;
  std::vector<uint32_t> ChangesNotInFilters() const;

  Document& document_;
  WaitingChanges& waiting_;
  WorkBudget budget_;
  std::vector<ChangeHash> shared_heads_;
  std::vector<ChangeHash> last_sent_heads_;
  std::optional<std::vector<ChangeHash>> their_heads_;
  std::vector<ChangeHash> their_need_;
  std::optional<std::vector<SyncMessage::Have>> their_have_;
  std::set<uint32_t> sent_;  // numbers of changes that they may not have told of yet
  // What the last message was made of.
  struct Said {
    std::vector<ChangeHash> heads;
    std::vector<ChangeHash> need;
    std::vector<ChangeHash> shared_heads;
    std::optional<std::vector<ChangeHash>> their_heads;
    friend bool operator==(const Said&, const Said&) = default;
  };
  std::optional<Said> last_said_;
  bool in_flight_ = false;
  bool have_responded_ = false;
};

}  // namespace cursorwire::automerge

#endif  // CURSORWIRE_SRC_CRDT_AUTOMERGE_SYNC_STATE_H_
