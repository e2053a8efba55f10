#include "client/turn.h"

#include <chrono>

#include "base/error.h"

namespace cursorwire {

void ChatStream::Turn::Cancel() {
  if (!cancel_requested_.exchange(true)) user_call_.Wake();
}

void ChatStream::Turn::Abandon() {
  abandoned_ = true;
  Cancel();
}

void ChatStream::Turn::EndWithoutCall() {
  Pump(0);
  events_.Close();
}

void ChatStream::Turn::OnStart(const connect::Call& call) {
  call_ = call;
  Pump(0);
}

void ChatStream::Turn::OnMessage(const connect::MessageView& message) {
  run_.On(message, std::chrono::steady_clock::now());
  Pump(message.credit);
}

void ChatStream::Turn::OnAlarm(connect::TimePoint now) {
  alarm_.reset();
  run_.OnDeadline(now);
  Pump(0);
  events_.Flush();
}

void ChatStream::Turn::OnWake(connect::TimePoint now) {
  if (cancel_requested_) run_.Cancel(now);
  TakeAnswer();
  Pump(0);
  events_.Flush();
}

void ChatStream::Turn::OnEnd(connect::CallEnd end) {
  run_.On(connect::CallEvent(std::move(end)), std::chrono::steady_clock::now());
  Pump(0);
  events_.Close();
}

void ChatStream::Turn::OnWritable() {
  Pump(0);
  events_.Flush();  // what could not be made before may bring events
}

void ChatStream::Turn::Pump(size_t credit) {
  SendOutputs();
  StartExecs();
  StopExec();
  while (std::optional<Element> event = run_.PollEvent()) {
    if (!abandoned_) events_.Push(*std::move(event), std::exchange(credit, 0));
  }
  waiting_credit_ += credit;
  if (may_send()) {
    call_.ReleaseCredit(std::exchange(waiting_credit_, 0));
  }
  // Only on a change: it is a command to the channel's thread.
  const std::optional<connect::TimePoint> next = run_.NextDeadline();
  if (next != alarm_) call_.SetAlarm(alarm_ = next);
}

bool ChatStream::Turn::may_send() const {
  return call_.unsent_bytes() <= connect::Call::kSendHighWater;
}

void ChatStream::Turn::SendOutputs() {
  while (run_.ended() || may_send()) {
    std::optional<RunOutput> output = run_.PollOutput();
    if (!output) return;
    if (auto* message = std::get_if<SendMessage>(&*output)) {
      // It fails only when the call has ended: OnEnd() is on its way then.
      (void)call_.Send(std::move(message->message));
    } else if (std::holds_alternative<CloseSend>(*output)) {
      call_.CloseSend();
    } else {
      call_.Cancel();
    }
  }
}

void ChatStream::Turn::StartExecs() {
  while (!serving_ && may_send()) {
    std::optional<ExecRequest> request = run_.PollExec();
    if (!request) return;
    StartExec(*std::move(request));
  }
}

void ChatStream::Turn::StartExec(ExecRequest request) {
  const uint32_t id = request.id;
  serving_.emplace(Serving{.id = id});
  const bool posted =
      worker_->Post([turn = shared_from_this(), call = call_, args = std::move(request.args),
                     token = serving_->stop.get_token()](ExecHandler& handler) {
        absl::StatusOr<ExecOutput> output = absl::CancelledError();
        if (!token.stop_requested()) output = Serve(handler, args, token);
        turn->SetAnswer(std::move(output));
        call.Wake();
      });
  if (posted) return;
  serving_.reset();
  run_.AnswerExec(id, LocalError(absl::StatusCode::kUnavailable, "no thread is left"));
  SendOutputs();
}

void ChatStream::Turn::StopExec() {
  if (serving_ && !run_.exec_pending(serving_->id)) serving_->stop.request_stop();
}

void ChatStream::Turn::TakeAnswer() {
  std::optional<absl::StatusOr<ExecOutput>> answer;
  {
    const std::lock_guard lock(mutex_);
    answer.swap(answer_);
  }
  if (!answer) return;
  // One that was given up may have a namesake by now, whose answer this is not.
  if (!serving_->stop.stop_requested()) run_.AnswerExec(serving_->id, *answer);
  serving_.reset();
}

void ChatStream::Turn::SetAnswer(absl::StatusOr<ExecOutput> answer) {
  const std::lock_guard lock(mutex_);
  answer_ = std::move(answer);
}

ChatStream::ChatStream(std::shared_ptr<Turn> turn) : turn_(std::move(turn)) {}
ChatStream::ChatStream(ChatStream&&) noexcept = default;

ChatStream& ChatStream::operator=(ChatStream&& other) noexcept {
  if (this != &other) {
    if (turn_ != nullptr) turn_->Abandon();
    turn_ = std::move(other.turn_);
  }
  return *this;
}

ChatStream::~ChatStream() {
  if (turn_ != nullptr) turn_->Abandon();
}

std::optional<ChatStream::Element> ChatStream::Next() { return turn_->Next(); }
void ChatStream::Cancel() { turn_->Cancel(); }

}  // namespace cursorwire
