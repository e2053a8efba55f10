#ifndef CURSORWIRE_SRC_CLIENT_CONVERSATION_CONVERSATION_CORE_H_
#define CURSORWIRE_SRC_CLIENT_CONVERSATION_CONVERSATION_CORE_H_

#include <absl/base/thread_annotations.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/history/noted_blobs.h"
#include "agent/history/state_protection.h"
#include "cursorwire/blob_store.h"
#include "cursorwire/chat.h"
#include "cursorwire/conversation.h"
#include "cursorwire/history.h"
#include "cursorwire/run.h"

namespace cursorwire {

// All of a conversation that is kept between turns and can be saved. A value.
struct ConversationSnapshot {
  std::string id{};
  std::string model{};
  std::vector<HistoryTurn> history{};
  std::string state{};              // the service's, verbatim; empty: none
  std::string state_fingerprint{};  // of the history that the state holds
  std::string rules{};              // ChatRequest::system of the turn that the state is of
  // Set: the state cannot be used, and the next turn says why.
  std::optional<RebuildReason> broken{};
};

// What a Conversation shares with its turns: the history and the service's state, and which turn
// goes on. Without I/O. Thread-safe.
class ConversationCore {
 public:
  explicit ConversationCore(ConversationOptions options, ConversationSnapshot snapshot = {});

  // Names a turn. Calls about a turn have no effect once a later one has begun.
  using Ticket = uint64_t;
  struct Start {
    Ticket ticket = 0;
    RunConversation conversation{};  // without the history
    std::optional<StateRebuilt> rebuilt{};
  };
  //   kFailedPrecondition  another turn goes on
  absl::StatusOr<Start> Begin(const ChatRequest& request);
  // The id that the turn uses now.
  void SetId(Ticket ticket, const std::string& id);
  // The turn is complete: it joins the history. `state` holds all of it; empty: no checkpoint does.
  void Complete(Ticket ticket, const ChatRequest& request, HistoryTurn turn, std::string state);
  // A later state of a completed turn.
  void SetState(Ticket ticket, std::string state);
  // The service lacked a blob of the state: it is not used again.
  void SetStateLost(Ticket ticket);
  // The turn has ended with `status` before it was complete: as the options say, it joins the
  // history as `turn`.
  void KeepUnfinished(Ticket ticket, const ChatRequest& request, HistoryTurn turn,
                      const absl::Status& status);
  // The turn is over, or nobody waits for it any more.
  void End(Ticket ticket);

  std::string id() const;
  std::string model() const;
  std::string rules() const;
  std::vector<HistoryTurn> history() const;
  ConversationBytes bytes() const;
  absl::Status SetHistory(std::vector<HistoryTurn> turns);
  ConversationSnapshot snapshot() const;
  const ConversationOptions& options() const { return options_; }
  // From now on others may fill the store of blobs.
  void ShareStore();
  // It notes what the service stores in this conversation.
  agent::NotedBlobs& blobs() const { return *blobs_; }

 private:
  // A name that no other object has.
  std::string OwnerName() const;
  // Why the state cannot be used for `request`; nullopt: it can, or there is none.
  std::optional<RebuildReason> FindFault(const ChatRequest& request) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  void KeepState(std::string state) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ReadHistory() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AddTurn(HistoryTurn turn) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable std::mutex mutex_;
  bool has_shared_store_ ABSL_GUARDED_BY(mutex_);
  const ConversationOptions options_;
  const std::shared_ptr<agent::NotedBlobs> blobs_;  // over those of the options; shared with turns
  agent::StateProtection protection_ ABSL_GUARDED_BY(mutex_){options_.blobs, OwnerName()};
  ConversationSnapshot kept_ ABSL_GUARDED_BY(mutex_);
  std::string fingerprint_ ABSL_GUARDED_BY(mutex_);  // of the history
  size_t history_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  // The state holds so many of its turns, and the others were not completed. nullopt: it is of
  // another history.
  std::optional<size_t> held_turns_ ABSL_GUARDED_BY(mutex_);
  Ticket last_ticket_ ABSL_GUARDED_BY(mutex_) = 0;
  Ticket completed_ticket_ ABSL_GUARDED_BY(mutex_) = 0;
  std::string running_id_ ABSL_GUARDED_BY(mutex_);  // that the turn uses
  bool running_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_CONVERSATION_CONVERSATION_CORE_H_
