#include "client/chat_turn.h"

#include <chrono>

#include "base/error.h"

namespace cursorwire {

void ChatTurn::Cancel() {
  if (!cancel_requested_.exchange(true)) user_call_.Wake();
}

void ChatTurn::Abandon() {
  abandoned_ = true;
  Cancel();
}

void ChatTurn::EndWithoutCall() {
  Pump(0);
  Close(absl::OkStatus());
}

void ChatTurn::OnStart(const connect::Call& call) {
  call_ = call;
  account_ = std::make_shared<connect::internal::CreditAccount>(call);
  sink_->Open(account_);
  Pump(0);
}

void ChatTurn::OnMessage(const connect::MessageView& message) {
  run_.On(message, std::chrono::steady_clock::now());
  Pump(message.credit);
}

void ChatTurn::OnAlarm(connect::TimePoint now) {
  alarm_.reset();
  // The silence is excused if the server cannot send, or if our own upload still makes progress.
  const size_t unsent = call_.unsent_bytes();
  const bool uploads = unsent > 0 && unsent < std::exchange(unsent_at_alarm_, unsent);
  if (account_->holds_peer_up() || uploads) run_.RestartWatchdog(now);
  run_.OnDeadline(now);
  Pump(0);
  sink_->Flush();
}

void ChatTurn::OnWake(connect::TimePoint now) {
  if (cancel_requested_) run_.Cancel(now);
  TakeAnswers();
  Pump(0);
  sink_->Flush();
}

void ChatTurn::OnEnd(connect::CallEnd end) {
  run_.On(connect::CallEvent(std::move(end)), std::chrono::steady_clock::now());
  Pump(0);
  Close(absl::OkStatus());
}

void ChatTurn::OnWritable() {
  TakeAnswers();
  Pump(0);
  sink_->Flush();  // the run may emit events that it could not make before
}

void ChatTurn::Pump(size_t credit) {
  SendOutputs();
  StartServings();
  StopServings();
  while (std::optional<absl::StatusOr<ChatEvent>> event = run_.PollEvent()) {
    if (!event->ok()) {
      Close(event->status());
    } else if (!abandoned_) {
      sink_->Push(**std::move(event), std::exchange(credit, 0));
    }
  }
  waiting_credit_ += credit;
  if (may_send()) {
    call_.ReleaseCredit(std::exchange(waiting_credit_, 0));
  }
  // Only when it changes: it is a command to the channel's thread.
  const std::optional<connect::TimePoint> next = run_.NextDeadline();
  if (next != alarm_) call_.SetAlarm(alarm_ = next);
}

void ChatTurn::Close(absl::Status status) {
  if (!std::exchange(closed_, true)) sink_->Close(std::move(status));
}

bool ChatTurn::may_send() const { return call_.unsent_bytes() <= connect::kSendHighWater; }

void ChatTurn::SendOutputs() {
  while (run_.ended() || may_send()) {
    std::optional<RunOutput> output = run_.PollOutput();
    if (!output) return;
    if (auto* message = std::get_if<SendMessage>(&*output)) {
      // Fails only if the call has ended; then OnEnd() is on its way.
      (void)call_.Send(std::move(message->message));
    } else if (std::holds_alternative<CloseSend>(*output)) {
      call_.CloseSend();
    } else {
      call_.Cancel();
    }
  }
}

void ChatTurn::StartServings() {
  while (may_send()) {
    std::optional<ExecRequest> request = run_.PollExec();
    if (!request) break;
    execs_.push_back(std::make_shared<Serving>(request->id, std::move(request->args), call_));
    handlers_.Start(execs_.back());
  }
  while (may_send()) {
    std::optional<QueryRequest> request = run_.PollQuery();
    if (!request) break;
    queries_.push_back(std::make_shared<Serving>(request->id, std::move(request->args), call_));
    handlers_.Start(queries_.back());
  }
}

void ChatTurn::StopServings() {
  // Stopped work is forgotten: its answer may come late, when its id may already be in use again.
  const auto stop = [this](std::vector<std::shared_ptr<Serving>>& servings, auto pending) {
    std::erase_if(servings, [&](const std::shared_ptr<Serving>& serving) {
      if (pending(serving->id())) return false;
      handlers_.Stop(*serving);
      return true;
    });
  };
  stop(execs_, [this](uint32_t id) { return run_.exec_pending(id); });
  stop(queries_, [this](uint32_t id) { return run_.query_pending(id); });
}

void ChatTurn::TakeAnswers() {
  const connect::TimePoint now = std::chrono::steady_clock::now();
  for (const std::shared_ptr<Serving>& serving : execs_) TakeAnswerOf(*serving, now);
  for (const std::shared_ptr<Serving>& serving : queries_) TakeAnswerOf(*serving, now);
}

void ChatTurn::TakeAnswerOf(Serving& serving, connect::TimePoint now) {
  while (may_send()) {
    const std::optional<Serving::Piece> piece = serving.TakePiece();
    if (!piece) break;
    run_.AddShellOutput(serving.id(), piece->out, piece->err, now);
    SendOutputs();
  }
  if (!may_send()) return;  // OnWritable() will be called
  const std::optional<Serving::Answer> answer = serving.TakeAnswer();
  if (!answer) return;
  if (const auto* output = std::get_if<absl::StatusOr<ExecOutput>>(&*answer)) {
    run_.AnswerExec(serving.id(), *output, now);
  } else {
    run_.AnswerQuery(serving.id(), std::get<absl::StatusOr<QueryOutput>>(*answer), now);
  }
  SendOutputs();
}

}  // namespace cursorwire
