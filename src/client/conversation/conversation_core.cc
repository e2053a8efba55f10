#include "client/conversation/conversation_core.h"

#include <absl/strings/str_cat.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>

#include "agent/history/history_codec.h"
#include "agent/run/conversation_state.h"
#include "base/error.h"
#include "base/strings.h"
#include "cursorwire/chat_error.h"
#include "cursorwire/connect/error_info.h"

namespace cursorwire {
namespace {

ConversationOptions WithBlobs(ConversationOptions options) {
  if (options.blobs == nullptr) options.blobs = std::make_shared<MemoryBlobStore>();
  return options;
}

std::string TextOf(RebuildReason reason) {
  switch (reason) {
    case RebuildReason::kHistoryChanged:
      return "its history was changed";
    case RebuildReason::kRulesRemoved:
      return "the rules of its former turns are no longer wanted";
    case RebuildReason::kStateLost:
      return "the service has lost a part of it";
    case RebuildReason::kStateIncomplete:
      return "parts of its saved state are missing";
    case RebuildReason::kStateDamaged:
      return "its state is damaged";
    case RebuildReason::kStateTooLarge:
      return "its state has become too large";
  }
  return "";
}

bool IsUtf8Item(const HistoryItem& item) {
  if (const auto* text = std::get_if<HistoryText>(&item)) return IsUtf8(text->text);
  const auto& call = std::get<HistoryToolCall>(item);
  return IsUtf8(call.call_id) && IsUtf8(call.name) && IsUtf8(call.arguments_json) &&
         IsUtf8(call.result);
}

absl::Status CheckTurn(const HistoryTurn& turn) {
  bool is_utf8 = IsUtf8(turn.prompt);
  for (const HistoryItem& item : turn.items) is_utf8 = is_utf8 && IsUtf8Item(item);
  return is_utf8 ? absl::OkStatus() : InvalidArgument("a text of the history is not UTF-8");
}

size_t BytesOf(const HistoryTurn& turn) {
  size_t bytes = sizeof(turn) + turn.prompt.size();
  for (const HistoryItem& item : turn.items) {
    bytes += sizeof(item);
    if (const auto* text = std::get_if<HistoryText>(&item)) {
      bytes += text->text.size();
    } else {
      const auto& call = std::get<HistoryToolCall>(item);
      bytes +=
          call.call_id.size() + call.name.size() + call.arguments_json.size() + call.result.size();
    }
  }
  return bytes;
}

// The request itself was refused, by the service or within this library: a later one that tells it
// again might be, too. A refused account, model or limit is not the question's fault.
bool IsRefusedRequest(const absl::Status& status) {
  const std::optional<connect::ErrorInfo> info = connect::GetErrorInfo(status);
  const bool is_local = info && info->origin == connect::ErrorOrigin::kLocal;
  if (is_local) return !absl::IsCancelled(status) && !absl::IsDeadlineExceeded(status);
  return absl::IsInvalidArgument(status) || absl::IsOutOfRange(status) ||
         RemedyOf(status) == Remedy::kNewConversation;
}

// Whether it has been asked before, without any answer: the agent is told of it once.
bool IsAskedAgain(const HistoryTurn& turn, const std::vector<HistoryTurn>& history) {
  if (history.empty() || !turn.items.empty()) return false;
  const HistoryTurn& last = history.back();
  return last.ending != TurnEnding::kCompleted && last.items.empty() &&
         last.prompt == turn.prompt && last.images == turn.images;
}

}  // namespace

ConversationCore::ConversationCore(ConversationOptions options, ConversationSnapshot snapshot)
    : has_shared_store_(options.blobs != nullptr),
      options_(WithBlobs(std::move(options))),
      blobs_(std::make_shared<agent::NotedBlobs>(options_.blobs)),
      kept_(std::move(snapshot)) {
  if (kept_.id.empty()) kept_.id = options_.id;
  ReadHistory();
  KeepState(std::move(kept_.state));
}

void ConversationCore::ReadHistory() {
  fingerprint_.clear();
  history_bytes_ = 0;
  held_turns_.reset();
  for (size_t i = 0;; ++i) {
    if (fingerprint_ == kept_.state_fingerprint) held_turns_ = i;
    if (i == kept_.history.size()) return;
    const HistoryTurn& turn = kept_.history[i];
    if (turn.ending == TurnEnding::kCompleted) held_turns_.reset();
    fingerprint_ = agent::ExtendFingerprint(fingerprint_, turn);
    history_bytes_ += BytesOf(turn);
  }
}

void ConversationCore::AddTurn(HistoryTurn turn) {
  fingerprint_ = agent::ExtendFingerprint(fingerprint_, turn);
  history_bytes_ += BytesOf(turn);
  kept_.history.push_back(std::move(turn));
}

std::string ConversationCore::OwnerName() const {
  return absl::StrCat("conversation ", reinterpret_cast<uintptr_t>(this));
}

std::optional<RebuildReason> ConversationCore::FindFault(const ChatRequest& request) const {
  if (kept_.broken) return kept_.broken;
  // Empty: no turn was completed here, so that no service knows another history.
  if (!kept_.state_fingerprint.empty() && !held_turns_) {
    return RebuildReason::kHistoryChanged;
  }
  if (kept_.state.empty() || options_.state_policy == StatePolicy::kRebuildEveryTurn) {
    return std::nullopt;
  }
  if (kept_.state.size() > agent::kMaxStateBytes) return RebuildReason::kStateTooLarge;
  if (!agent::IsConversationState(kept_.state)) return RebuildReason::kStateDamaged;
  // New rules are added to a state, but nothing can be taken out of it.
  if (request.system.empty() && !kept_.rules.empty()) return RebuildReason::kRulesRemoved;
  return std::nullopt;
}

absl::StatusOr<ConversationCore::Start> ConversationCore::Begin(const ChatRequest& request) {
  const std::lock_guard lock(mutex_);
  if (running_) {
    return LocalError(absl::StatusCode::kFailedPrecondition,
                      "another turn of this conversation goes on: wait for its end, or destroy its "
                      "stream");
  }
  running_ = true;
  Start start{.ticket = ++last_ticket_};
  start.conversation.blobs = blobs_;
  start.conversation.rules = kept_.rules;
  if (const std::optional<RebuildReason> fault = FindFault(request)) {
    // Under a new id: the service knows another history under the former one. What is kept stays as
    // it is until the turn is complete.
    start.rebuilt =
        StateRebuilt{.reason = *fault,
                     .message = absl::StrCat("the conversation goes on from its history of ",
                                             kept_.history.size(), " turn(s): ", TextOf(*fault))};
    return start;
  }
  start.conversation.id = kept_.id;
  if (options_.state_policy == StatePolicy::kTrustCheckpoint) {
    start.conversation.state = kept_.state;
    if (!kept_.state.empty() && held_turns_) {
      start.conversation.turns_since_state.assign(
          kept_.history.begin() + static_cast<ptrdiff_t>(*held_turns_), kept_.history.end());
    }
  }
  return start;
}

void ConversationCore::SetId(Ticket ticket, const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (running_ && ticket == last_ticket_) running_id_ = id;
}

void ConversationCore::Complete(Ticket ticket, const ChatRequest& request, HistoryTurn turn,
                                std::string state) {
  const std::lock_guard lock(mutex_);
  if (!running_ || ticket != last_ticket_) return;
  AddTurn(std::move(turn));
  kept_.id = running_id_;
  kept_.model = request.model;
  kept_.rules = request.system;
  kept_.broken.reset();
  kept_.state_fingerprint = fingerprint_;
  held_turns_ = kept_.history.size();
  completed_ticket_ = ticket;
  KeepState(std::move(state));
}

void ConversationCore::KeepUnfinished(Ticket ticket, const ChatRequest& request, HistoryTurn turn,
                                      const absl::Status& status) {
  const std::lock_guard lock(mutex_);
  if (!running_ || ticket != last_ticket_) return;
  if (options_.unfinished_turns == UnfinishedTurns::kForget) return;
  const bool keeps_questions = options_.unfinished_turns == UnfinishedTurns::kKeepAsked;
  if (turn.items.empty() && (!keeps_questions || IsRefusedRequest(status))) return;
  if (IsAskedAgain(turn, kept_.history)) return;
  turn.ending = EndingOf(status);
  kept_.model = request.model;
  AddTurn(std::move(turn));
}

void ConversationCore::KeepState(std::string state) {
  kept_.state = std::move(state);
  protection_.Set(kept_.state);
  // In a store that others fill, the state must be protected at any time.
  if (has_shared_store_) protection_.Apply();
}

void ConversationCore::SetState(Ticket ticket, std::string state) {
  const std::lock_guard lock(mutex_);
  // It holds the history as it was when the turn was completed.
  if (ticket != completed_ticket_ || !held_turns_) return;
  KeepState(std::move(state));
}

void ConversationCore::SetStateLost(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  if (ticket == last_ticket_) kept_.broken = RebuildReason::kStateLost;
}

void ConversationCore::End(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  if (ticket == last_ticket_) running_ = false;
}

std::string ConversationCore::id() const {
  const std::lock_guard lock(mutex_);
  return kept_.id;
}

std::string ConversationCore::rules() const {
  const std::lock_guard lock(mutex_);
  return kept_.rules;
}

std::string ConversationCore::model() const {
  const std::lock_guard lock(mutex_);
  return kept_.model;
}

std::vector<HistoryTurn> ConversationCore::history() const {
  const std::lock_guard lock(mutex_);
  return kept_.history;
}

ConversationBytes ConversationCore::bytes() const {
  const std::lock_guard lock(mutex_);
  return {.history = history_bytes_, .state = kept_.state.size(), .blobs = blobs_->bytes()};
}

absl::Status ConversationCore::SetHistory(std::vector<HistoryTurn> turns) {
  for (const HistoryTurn& turn : turns) {
    if (absl::Status status = CheckTurn(turn); !status.ok()) return status;
  }
  const std::lock_guard lock(mutex_);
  if (running_) {
    return LocalError(absl::StatusCode::kFailedPrecondition,
                      "a turn of this conversation goes on: its history cannot be changed");
  }
  if (turns == kept_.history) return absl::OkStatus();
  kept_.history = std::move(turns);
  ReadHistory();
  return absl::OkStatus();
}

void ConversationCore::ShareStore() {
  const std::lock_guard lock(mutex_);
  has_shared_store_ = true;
  protection_.Apply();
}

ConversationSnapshot ConversationCore::snapshot() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

}  // namespace cursorwire
