#include "client/turn/chat_turn.h"

#include <algorithm>

#include "base/error.h"
#include "channel/loop/sibling_call.h"

namespace cursorwire {

using std::chrono::steady_clock;

namespace {

absl::Status SaysSomethingElse() {
  return MakeError(absl::StatusCode::kUnavailable,
                   "the connection was lost in the middle of the answer, and the service goes on "
                   "with other words than those that were shown: ask again",
                   {.origin = connect::ErrorOrigin::kTransport});
}

}  // namespace

// The time between two attempts, in which tools of the first may still run.
class ChatTurn::Pause final : public connect::CallObserver {
 public:
  Pause(std::shared_ptr<ChatTurn> turn, connect::TimePoint start, connect::TimePoint end)
      : resume_at(start),
        patience_end(end),
        turn_(std::move(turn)),
        life_(turn_->parts_.life.lock()) {}

  const connect::TimePoint resume_at;     // when the next attempt may start
  const connect::TimePoint patience_end;  // when the tools have taken too long
  connect::Call call;                     // that is never made; set by OnStart()

  connect::CallbackThread callback_thread() const override { return turn_->callback_thread(); }
  void OnStart(const connect::Call& started) override {
    call = started;
    if (is_current()) turn_->OnPauseStart();
  }
  void OnMessage(const connect::MessageView&) override {}
  void OnAlarm(connect::TimePoint now) override {
    if (is_current()) turn_->OnPause(now);
  }
  void OnWake(connect::TimePoint now) override {
    if (is_current()) turn_->OnPause(now);
  }
  void OnEnd(connect::CallEnd end) override {
    if (is_current()) turn_->OnPauseEnd(end.status);
    life_.reset();
  }

 private:
  // A former one may be told of its end when the next has begun.
  bool is_current() const { return turn_->pause_.get() == this; }

  const std::shared_ptr<ChatTurn> turn_;  // which lets go of the pause when that is over
  std::shared_ptr<const void> life_;
};

ChatTurn::ChatTurn(ChatRequest request, TurnParts parts,
                   std::shared_ptr<ConversationCore> conversation, ConversationCore::Start start,
                   std::shared_ptr<ChatSink> sink)
    : request_(std::move(request)),
      parts_(std::move(parts)),
      conversation_(std::move(conversation)),
      ticket_(start.ticket),
      sink_(std::move(sink)),
      started_(steady_clock::now()),
      rebuilt_(std::move(start.rebuilt)),
      recovery_(parts_.retry, std::move(start.conversation)),
      token_(parts_.tokens, parts_.threads) {}

bool ChatTurn::Enter(ChatStep step) {
  const std::optional<ChatPhase> next = PhaseAfter(phase_, step);
  phase_ = next.value_or(phase_);
  return next.has_value();
}

void ChatTurn::Start(const connect::Channel& channel) {
  const std::shared_ptr<ChatAttempt> attempt = attempt_ = MakeAttempt();
  if (attempt->run().ended()) {
    parts_.late->End([attempt] { attempt->EndWithoutCall(); });
  } else {
    user_call_ = channel.Start(attempt->run().call_request(), attempt);
  }
}

void ChatTurn::Refuse(const absl::Status& why) {
  parts_.late->End([self = shared_from_this(), why] { self->Close(why); });
}

std::string ChatTurn::conversation_id() const {
  const std::lock_guard lock(mutex_);
  return conversation_id_;
}

void ChatTurn::Cancel() {
  if (cancel_requested_.exchange(true)) return;
  current_call().Wake();  // without the lock: it may run callbacks
}

void ChatTurn::Abandon() {
  abandoned_ = true;
  if (conversation_ != nullptr) conversation_->End(ticket_);
  Cancel();
}

connect::Call ChatTurn::current_call() const {
  const std::lock_guard lock(mutex_);
  return current_call_;
}

void ChatTurn::SetCurrentCall(const connect::Call& call) {
  const std::lock_guard lock(mutex_);
  current_call_ = call;
}

std::optional<std::chrono::milliseconds> ChatTurn::TimeLeft() const {
  if (request_.timeout.count() == 0) return std::nullopt;
  const auto used = std::chrono::floor<std::chrono::milliseconds>(steady_clock::now() - started_);
  return std::max(request_.timeout - used, std::chrono::milliseconds(0));
}

std::shared_ptr<ChatAttempt> ChatTurn::MakeAttempt() {
  RunConversation conversation = recovery_.next();
  if (conversation.state.empty() && conversation_ != nullptr) {
    conversation.history = conversation_->history();
    conversation.turns_since_state.clear();
  }
  std::optional<ChatRequest> shorter;
  if (const auto left = TimeLeft(); left && attempts_ > 0) {
    shorter = request_;
    shorter->timeout = std::max(*left, std::chrono::milliseconds(1));
  }
  RunOptions options = *parts_.run_options;
  options.token = token_.Use();
  options.hand_out_queries |= request_.hand_out_questions;
  Run run(shorter ? *shorter : request_, conversation, options, *parts_.ids, steady_clock::now());
  if (conversation_ != nullptr) conversation_->SetId(ticket_, run.conversation_id());
  {
    const std::lock_guard lock(mutex_);
    conversation_id_ = run.conversation_id();
  }
  return std::make_shared<ChatAttempt>(std::move(run), parts_.handlers, shared_from_this(),
                                       ++attempts_, parts_.life.lock());
}

void ChatTurn::OnAttemptStart(const connect::Call& call) {
  SetCurrentCall(call);
  if (account_ != nullptr) return account_->MoveTo(call);
  account_ = std::make_shared<connect::internal::CreditAccount>(call);
  sink_->Open(account_);
  if (rebuilt_) Show(*std::exchange(rebuilt_, std::nullopt), 0);
}

bool ChatTurn::OnEvent(ChatEvent&& event, size_t credit) {
  if (!Enter(ChatStep::kNews)) {
    GiveBack(credit);
    return false;
  }
  const absl::StatusOr<bool> visible = Filter(event);
  if (visible.ok()) Keep(event);
  if (visible.ok() && *visible) {
    Show(std::move(event), credit);
    return true;
  }
  GiveBack(credit);
  if (!visible.ok()) Close(visible.status());
  return visible.ok();
}

bool ChatTurn::OnText(std::string_view text, size_t credit) {
  if (!Enter(ChatStep::kNews)) {
    GiveBack(credit);
    return false;
  }
  const std::optional<std::string_view> fresh = FreshText(text);
  const bool is_shown = fresh && !abandoned_ && (!fresh->empty() || text.empty());
  if (is_shown) {
    sink_->PushText(*fresh, credit);
  } else {
    GiveBack(credit);
  }
  if (!fresh) Close(SaysSomethingElse());
  return fresh.has_value();
}

bool ChatTurn::OnExec() {
  if (!Enter(ChatStep::kNews)) return false;
  if (!shown_.is_behind()) return true;
  Close(SaysSomethingElse());
  return false;
}

void ChatTurn::Show(ChatEvent&& event, size_t credit) {
  if (abandoned_) return GiveBack(credit);
  sink_->Push(std::move(event), credit);
}

void ChatTurn::GiveBack(size_t credit) {
  if (account_ == nullptr) return;
  account_->Take(credit);
  account_->Return(credit);
}

void ChatTurn::Flush() {
  if (phase_ != ChatPhase::kClosed) sink_->Flush();
}

void ChatTurn::Keep(const ChatEvent& event) {
  const bool is_in_history = conversation_ != nullptr && phase_ == ChatPhase::kComplete;
  if (event.As<StateLost>() != nullptr) {
    state_lost_ = true;
    if (is_in_history) conversation_->SetStateLost(ticket_);
  }
  const auto* checkpoint = event.As<Checkpoint>();
  if (checkpoint != nullptr && is_in_history) conversation_->SetState(ticket_, checkpoint->state);
  if (event.As<TurnEnded>() == nullptr) return;
  Enter(ChatStep::kTurnEnded);
  if (conversation_ == nullptr) return;
  RunProgress progress = attempt_->run().progress();
  conversation_->Complete(ticket_, request_, std::move(progress.turn),
                          progress.held_whole ? std::move(progress.checkpoint) : std::string());
  if (state_lost_) conversation_->SetStateLost(ticket_);
}

void ChatTurn::KeepUnfinished(const absl::Status& status) {
  if (conversation_ == nullptr || attempt_ == nullptr || status.ok()) return;
  RunProgress progress = attempt_->run().progress();
  HistoryTurn turn = std::move(progress.turn);
  if (shown_.is_behind()) {
    // It has not come as far as the one before: more was shown than it knows of, and no action of
    // it was begun.
    turn = former_turn_;
  } else {
    for (HistoryToolCall& call : progress.unanswered) turn.items.emplace_back(std::move(call));
  }
  conversation_->KeepUnfinished(ticket_, request_, std::move(turn), status);
}

std::optional<std::string_view> ChatTurn::FreshText(std::string_view text) {
  const bool may_repeat = parts_.retry.max_retries > 0 || token_.can_be_replaced();
  return may_repeat ? shown_.Add(text) : text;
}

absl::StatusOr<bool> ChatTurn::Filter(ChatEvent& event) {
  if (const auto* delta = event.As<TextDelta>()) {
    const std::optional<std::string_view> fresh = FreshText(delta->text);
    if (!fresh) return SaysSomethingElse();
    if (fresh->size() == delta->text.size()) return true;
    event = TextDelta{std::string(*fresh)};
    return !event.As<TextDelta>()->text.empty();
  }
  if (event.As<Checkpoint>() != nullptr) shown_.OnCheckpoint();
  if (shown_calls_.WasShown(event)) return false;
  // In place of the words that were shown: a new call, what came of one, or nothing more.
  const bool is_other = event.As<ToolCallStarted>() != nullptr ||
                        event.As<ToolCallCompleted>() != nullptr ||
                        event.As<TurnEnded>() != nullptr;
  if (is_other && shown_.is_behind()) return SaysSomethingElse();
  return true;
}

void ChatTurn::OnAttemptEnd(ChatAttempt& attempt, FailedAttempt outcome) {
  const bool is_final = outcome.status.ok() || cancel_requested_;
  if (is_final || !PhaseAfter(phase_, ChatStep::kPause)) return Close(outcome.status);
  outcome.progress = attempt.run().progress();
  outcome.state_lost = state_lost_;
  outcome.text_since = !shown_.empty();
  if (conversation_ != nullptr && (state_lost_ || IsBlobLost(outcome.status))) {
    conversation_->SetStateLost(ticket_);
  }
  // A service that was there tells more than that it is gone since.
  if (outcome.reached_service || failure_.ok()) failure_ = outcome.status;
  const connect::Call call = current_call();
  // Without a call, which an interceptor may have refused, there is no thread to wait on.
  if (account_ == nullptr) return Close(failure_);
  if (MayReplaceToken(outcome)) return StartPause(call, std::chrono::milliseconds(0));
  const bool had_state = !recovery_.next().state.empty();
  const std::optional<Retrying> plan =
      recovery_.OnFailure(outcome, std::uniform_real_distribution<double>(0, 1)(random_));
  const auto left = TimeLeft();
  if (!plan || (left && plan->delay >= *left)) return Close(failure_);
  Show(*plan, 0);
  if (had_state && plan->kind == RetryKind::kRepeat && recovery_.next().state.empty()) {
    Show(StateRebuilt{.reason = RebuildReason::kStateLost,
                      .message = "the conversation goes on from its history: the service has lost "
                                 "a part of its state"},
         0);
  }
  StartPause(call, plan->delay);
}

bool ChatTurn::MayReplaceToken(const FailedAttempt& outcome) {
  if (!IsTokenRefused(outcome.status) || !token_.may_be_replaced()) return false;
  if (!recovery_.OnRefusedToken(outcome)) return false;
  token_.WantReplacement();
  return true;
}

void ChatTurn::StartPause(const connect::Call& call, std::chrono::milliseconds delay) {
  Enter(ChatStep::kPause);
  const connect::TimePoint resume_at = steady_clock::now() + delay;
  const std::chrono::milliseconds patience = parts_.run_options->watchdog.in_flight_timeout;
  pause_ = std::make_shared<Pause>(
      shared_from_this(), resume_at,
      patience.count() > 0 ? connect::After(resume_at, patience) : connect::TimePoint::max());
  sink_->Flush();
  connect::internal::HoldSibling(call, pause_);
}

void ChatTurn::OnPauseStart() {
  SetCurrentCall(pause_->call);
  attempt_->MoveWork(pause_->call);
  token_.Start(pause_->call);
  OnPause(steady_clock::now());
}

void ChatTurn::OnPause(connect::TimePoint now) {
  const auto left = TimeLeft();
  const bool out_of_time = left && left->count() == 0;
  if (cancel_requested_ || out_of_time) {
    return OnPauseEnd(cancel_requested_ ? CancelledByCaller()
                                        : LocalError(absl::StatusCode::kDeadlineExceeded,
                                                     "the turn took longer than its timeout"));
  }
  const bool tools_are_done = attempt_->TakeLateAnswers();
  const TokenRenewal::State renewal = token_.state();
  if (renewal == TokenRenewal::State::kFailed) return OnPauseEnd(failure_);
  const bool idle = tools_are_done && renewal != TokenRenewal::State::kRunning;
  if (idle && now >= pause_->resume_at) return StartNext();
  if (now >= pause_->patience_end) return OnPauseEnd(failure_);
  connect::TimePoint alarm = now < pause_->resume_at ? pause_->resume_at : pause_->patience_end;
  if (left) alarm = std::min(alarm, connect::After(now, *left));
  pause_->call.SetAlarm(alarm);
}

void ChatTurn::OnPauseEnd(const absl::Status& status) {
  token_.Stop();
  attempt_->DropWork();
  const connect::Call call = pause_->call;
  Close(status);
  call.Cancel();
}

void ChatTurn::StartNext() {
  Enter(ChatStep::kNextAttempt);
  const connect::Call pause_call = std::exchange(pause_, nullptr)->call;
  state_lost_ = false;
  // What was refused was the former token.
  if (token_.state() != TokenRenewal::State::kNone && IsTokenRefused(failure_)) {
    failure_ = absl::OkStatus();
  }
  RunProgress progress = attempt_->run().progress();
  recovery_.OnLateResults(progress);
  // One that had not come as far as the one before it knows less.
  if (!shown_.is_behind()) former_turn_ = std::move(progress.turn);
  shown_.OnRestart(std::move(progress.text_since));
  shown_calls_.OnRestart();
  // A turn that is told again goes on after all that was shown.
  if (recovery_.next().start == RunStart::kContinue) shown_.Clear();
  const std::shared_ptr<ChatAttempt> attempt = attempt_ = MakeAttempt();
  if (attempt->run().ended()) {
    attempt->EndWithoutCall();
  } else {
    connect::internal::StartSibling(pause_call, attempt->run().call_request(), attempt);
  }
  pause_call.Cancel();
}

void ChatTurn::Close(const absl::Status& status) {
  const bool was_complete = phase_ == ChatPhase::kComplete;
  if (!Enter(ChatStep::kEnd)) return;
  if (!was_complete) KeepUnfinished(status);
  pause_ = nullptr;
  attempt_ = nullptr;
  if (conversation_ != nullptr) conversation_->End(ticket_);
  sink_->Close(status);
}

}  // namespace cursorwire
