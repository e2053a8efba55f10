#ifndef CURSORWIRE_SRC_CLIENT_TURN_CHAT_TURN_H_
#define CURSORWIRE_SRC_CLIENT_TURN_CHAT_TURN_H_

#include <absl/base/thread_annotations.h>
#include <absl/status/status.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "channel/loop/deferred_ends.h"
#include "channel/waiting/credit_account.h"
#include "client/conversation/conversation_core.h"
#include "client/turn/chat_attempt.h"
#include "client/turn/chat_phase.h"
#include "client/turn/chat_sink.h"
#include "client/turn/handlers.h"
#include "client/turn/recovery.h"
#include "client/turn/shown_calls.h"
#include "client/turn/shown_text.h"
#include "client/turn/token_cell.h"
#include "client/turn/token_renewal.h"
#include "client/turn/tool_answer_cache.h"
#include "cursorwire/chat.h"
#include "cursorwire/connect/call.h"
#include "cursorwire/connect/channel.h"
#include "cursorwire/history.h"
#include "cursorwire/id_source.h"
#include "cursorwire/run.h"
#include "cursorwire/run_options.h"

namespace cursorwire {

// What a client gives to each of its turns. A value.
struct TurnParts {
  std::shared_ptr<const RunOptions> run_options;  // the client's, shared by its turns
  std::shared_ptr<IdSource> ids;
  RetryPolicy retry{};
  Handlers handlers;
  std::shared_ptr<HandlerThreads> threads;  // shared with the client and its other turns
  std::shared_ptr<TokenCell> tokens;        // the same
  // Ends turns that end as they are started.
  std::shared_ptr<connect::internal::DeferredEnds> late;
  // The client's; each call of the turn holds it until it has ended.
  std::weak_ptr<const void> life{};
};

// One turn: an attempt and, where that fails, others after a pause. Stands between the attempts,
// the conversation that the turn belongs to, and the user's sink: it decides whether a failed turn
// goes on, leaves out what was shown already, and writes the completed turn into the conversation.
class ChatTurn final : public AttemptHost, public std::enable_shared_from_this<ChatTurn> {
 public:
  // `conversation`: nullptr if there is none; else `start` comes from its Begin().
  ChatTurn(ChatRequest request, TurnParts parts, std::shared_ptr<ConversationCore> conversation,
           ConversationCore::Start start, std::shared_ptr<ChatSink> sink);

  // The user's side.
  // Starts the first attempt. Ends at once if the request is bad.
  void Start(const connect::Channel& channel);
  // Ends at once, in place of Start().
  void Refuse(const absl::Status& why);
  std::string conversation_id() const;
  // The first call; it serves to wait on its channel. No call if none was made.
  const connect::Call& user_call() const { return user_call_; }
  void Cancel();
  // Nobody reads the events any more.
  void Abandon();

  // The attempts' side.
  connect::CallbackThread callback_thread() const override { return sink_->callback_thread(); }
  bool cancel_requested() const override { return cancel_requested_; }
  bool holds_peer_up() const override { return account_->holds_peer_up(); }
  bool hands_out_questions() const override { return request_.hand_out_questions; }
  ToolAnswerCache& tool_answers() override { return tool_answers_; }
  void OnAttemptStart(const connect::Call& call) override;
  bool OnEvent(ChatEvent&& event, size_t credit) override;
  bool OnText(std::string_view text, size_t credit) override;
  bool OnExec() override;
  void Flush() override;
  void OnAttemptEnd(ChatAttempt& attempt, FailedAttempt outcome) override;
  bool keeps_work_of(const ChatAttempt& attempt) const override {
    return phase_ == ChatPhase::kPausing && attempt_.get() == &attempt;
  }

 private:
  class Pause;

  // False if the step is not taken in this phase.
  bool Enter(ChatStep step);
  std::shared_ptr<ChatAttempt> MakeAttempt();
  // Between two attempts.
  void OnPauseStart();
  void OnPause(connect::TimePoint now);
  void OnPauseEnd(const absl::Status& status);
  // Waits for what the turn needs before its next attempt.
  void StartPause(const connect::Call& call, std::chrono::milliseconds delay);
  // The service refuses the token: whether the turn goes on with another one.
  bool MayReplaceToken(const FailedAttempt& outcome);
  void StartNext();

  // Writes the event into the conversation.
  void Keep(const ChatEvent& event);
  // Writes down what there is of a turn that ends before it is complete.
  void KeepUnfinished(const absl::Status& status);
  // Makes the event what the user is to see of it; false: it was seen already.
  //   kUnavailable  the answer says something else than what was shown
  absl::StatusOr<bool> Filter(ChatEvent& event);
  // The part of the text that was not shown yet; nullopt: it says something else than what was.
  std::optional<std::string_view> FreshText(std::string_view text);
  void Show(ChatEvent&& event, size_t credit);
  void GiveBack(size_t credit);
  void Close(const absl::Status& status);
  connect::Call current_call() const;
  void SetCurrentCall(const connect::Call& call);
  std::optional<std::chrono::milliseconds> TimeLeft() const;

  const ChatRequest request_;
  const TurnParts parts_;
  const std::shared_ptr<ConversationCore> conversation_;  // shared with its user and later turns
  const ConversationCore::Ticket ticket_;
  const std::shared_ptr<ChatSink> sink_;  // shared with the user
  const std::chrono::steady_clock::time_point started_;

  // The role holder's.
  std::optional<StateRebuilt> rebuilt_;
  Recovery recovery_;
  ToolAnswerCache tool_answers_;
  ShownText shown_;
  ShownCalls shown_calls_;
  HistoryTurn former_turn_;  // as the attempt before left it
  std::shared_ptr<ChatAttempt> attempt_;
  int attempts_ = 0;
  ChatPhase phase_ = ChatPhase::kAsking;
  bool state_lost_ = false;       // in this attempt
  absl::Status failure_;          // of the last attempt that had reached the service
  std::shared_ptr<Pause> pause_;  // in kPausing
  TokenRenewal token_;
  std::mt19937 random_{std::random_device{}()};
  // Credit of the events that the user holds. Shared with the sink; null before the first call.
  std::shared_ptr<connect::internal::CreditAccount> account_;

  connect::Call user_call_;  // set once, before the user has the turn
  std::atomic<bool> cancel_requested_ = false;
  std::atomic<bool> abandoned_ = false;
  mutable std::mutex mutex_;
  connect::Call current_call_ ABSL_GUARDED_BY(mutex_);  // which Cancel() wakes
  std::string conversation_id_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TURN_CHAT_TURN_H_
