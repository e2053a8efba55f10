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
  std::vector<ExecAnswer> answers;
  {
    const std::lock_guard lock(mutex_);
    answers.swap(answers_);
  }
  for (const ExecAnswer& answer : answers) {
    execs_.erase(answer.id);
    run_.AnswerExec(answer.id, answer.output);
  }
  Pump(0);
  events_.Flush();
}

void ChatStream::Turn::OnEnd(connect::CallEnd end) {
  run_.On(connect::CallEvent(std::move(end)), std::chrono::steady_clock::now());
  Pump(0);
  events_.Close();
}

void ChatStream::Turn::OnWritable() { Pump(0); }

void ChatStream::Turn::Pump(size_t credit) {
  SendOutputs();
  StartExecs();
  StopExecs();
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
  while (may_send()) {
    std::optional<ExecRequest> request = run_.PollExec();
    if (!request) return;
    StartExec(*std::move(request));
  }
}

void ChatStream::Turn::StartExec(ExecRequest request) {
  const uint32_t id = request.id;
  const std::stop_source stop = execs_[id] = std::stop_source();
  const bool posted =
      worker_->Post([turn = shared_from_this(), call = call_, request = std::move(request),
                     token = stop.get_token()](ExecHandler& handler) {
        if (token.stop_requested()) return;
        absl::StatusOr<ExecOutput> output = Serve(handler, request.args, token);
        if (token.stop_requested()) return;
        turn->AddAnswer({request.id, std::move(output)});
        call.Wake();
      });
  if (posted) return;
  execs_.erase(id);
  run_.AnswerExec(id, LocalError(absl::StatusCode::kResourceExhausted, "no thread is left"));
  SendOutputs();
}

void ChatStream::Turn::StopExecs() {
  std::erase_if(execs_, [this](const auto& exec) {
    if (run_.exec_pending(exec.first)) return false;
    exec.second.request_stop();
    return true;
  });
}

void ChatStream::Turn::AddAnswer(ExecAnswer answer) {
  const std::lock_guard lock(mutex_);
  answers_.push_back(std::move(answer));
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
