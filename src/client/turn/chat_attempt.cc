#include "client/turn/chat_attempt.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.h"
#include "client/turn/retry_after.h"
#include "cursorwire/query.h"
#include "cursorwire/query_handler.h"

namespace cursorwire {
namespace {

// A batch that is handed on for so long was held up by the user.
constexpr std::chrono::seconds kLongBatch{1};

std::optional<std::chrono::milliseconds> RetryAfterOf(const connect::Headers& headers) {
  const std::optional<std::string_view> value = headers.Get("retry-after");
  if (!value) return std::nullopt;
  return ReadRetryAfter(*value, std::chrono::system_clock::now());
}

std::optional<SandboxPolicy> SandboxOf(const absl::StatusOr<ExecOutput>& output) {
  const auto* shell = output.ok() ? std::get_if<ShellOutput>(&*output) : nullptr;
  return shell == nullptr ? std::nullopt : shell->sandbox;
}

std::string CallIdOf(const QueryArgs& query) {
  return std::visit(
      [](const auto& what) -> std::string {
        if constexpr (requires { what.call_id; }) return what.call_id;
        return {};
      },
      query);
}

}  // namespace

void ChatAttempt::EndWithoutCall() {
  Pump();
  EndAttempt(absl::OkStatus());
}

void ChatAttempt::OnStart(const connect::Call& call) {
  call_ = call;
  turn_->OnAttemptStart(call);
  if (turn_->cancel_requested()) run_.Cancel(std::chrono::steady_clock::now());
  Pump();
}

void ChatAttempt::OnHead(connect::ResponseHead head) {
  reached_ = true;
  retry_after_ = RetryAfterOf(head.headers);
}

void ChatAttempt::OnMessage(const connect::MessageView& message) {
  reached_ = true;
  if (!batch_time_) batch_time_ = std::chrono::steady_clock::now();
  message_credit_ = message.credit;
  text_passed_ = false;
  run_.On(message, *batch_time_);
  // Of a message whose text was passed on, nothing is left to do.
  if (!text_passed_ || stop_wanted_) DoWork();
}

void ChatAttempt::OnBatchEnd() {
  const connect::TimePoint now = std::chrono::steady_clock::now();
  // The user's callbacks took so long, and the server may have been silent only meanwhile.
  if (batch_time_ && now - *batch_time_ > kLongBatch) run_.RestartWatchdog(now);
  batch_time_.reset();
  Pump();
  turn_->Flush();
}

void ChatAttempt::OnAlarm(connect::TimePoint now) {
  alarm_.reset();
  // The silence is excused if the server cannot send, or if our own upload still makes progress.
  const size_t unsent = call_.unsent_bytes();
  const bool uploads = unsent > 0 && unsent < std::exchange(unsent_at_alarm_, unsent);
  if (turn_->holds_peer_up() || uploads) run_.RestartWatchdog(now);
  run_.OnDeadline(now);
  Pump();
  turn_->Flush();
}

void ChatAttempt::OnWake(connect::TimePoint now) {
  if (turn_->cancel_requested()) run_.Cancel(now);
  TakeAnswers();
  Pump();
  turn_->Flush();
}

void ChatAttempt::OnEnd(connect::CallEnd end) {
  if (!retry_after_) retry_after_ = RetryAfterOf(end.trailers);
  const auto info = connect::GetErrorInfo(end.status);
  if (!info || !info->replay_safe) reached_ = true;
  run_.On(connect::CallEvent(std::move(end)), std::chrono::steady_clock::now());
  Pump();
  EndAttempt(absl::OkStatus());
  life_.reset();
}

void ChatAttempt::OnWritable() {
  TakeAnswers();
  Pump();
  turn_->Flush();  // the run may emit events that it could not make before
}

void ChatAttempt::OnText(std::string_view text) {
  if (ended_) return;
  text_passed_ = true;
  if (!turn_->OnText(text, std::exchange(message_credit_, 0))) ended_ = stop_wanted_ = true;
}

void ChatAttempt::HandOnEvents() {
  if (std::exchange(stop_wanted_, false)) StopRun();
  while (std::optional<absl::StatusOr<ChatEvent>> event = run_.PollEvent()) {
    if (!event->ok()) {
      EndAttempt(event->status());
    } else if (!ended_ && !turn_->OnEvent(**std::move(event), std::exchange(message_credit_, 0))) {
      ended_ = true;
      StopRun();
    }
  }
  waiting_credit_ += std::exchange(message_credit_, 0);
}

void ChatAttempt::StopRun() {
  run_.Cancel(std::chrono::steady_clock::now());
  SendOutputs();
}

void ChatAttempt::DoWork() {
  SendOutputs();
  StartExecs();
  HandOnEvents();
  StartQueries();
  StopWork();
}

void ChatAttempt::Pump() {
  DoWork();
  if (waiting_credit_ > 0 && may_send()) {
    call_.ReleaseCredit(std::exchange(waiting_credit_, 0));
  }
  // Only when it changes: it is a command to the channel's thread.
  const std::optional<connect::TimePoint> next = run_.NextDeadline();
  if (next != alarm_) call_.SetAlarm(alarm_ = next);
}

// Only the first call counts. A turn that goes on in another attempt takes the work over.
void ChatAttempt::EndAttempt(const absl::Status& status) {
  if (std::exchange(ended_, true)) return;
  turn_->OnAttemptEnd(*this, {.status = status,
                              .conversation_id = run_.conversation_id(),
                              .reached_service = reached_,
                              .retry_after = retry_after_});
}

bool ChatAttempt::may_send() const { return call_.unsent_bytes() <= connect::kSendHighWater; }

void ChatAttempt::SendOutputs() {
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

void ChatAttempt::StartExecs() {
  while (may_send()) {
    std::optional<ExecRequest> request = run_.PollExec();
    if (!request) return;
    if (!turn_->OnExec()) {
      ended_ = true;
      return StopRun();
    }
    StartExec(*std::move(request));
  }
}

void ChatAttempt::StartQueries() {
  while (may_send()) {
    std::optional<QueryRequest> request = run_.PollQuery();
    if (!request) return;
    StartQuery(*std::move(request));
  }
}

void ChatAttempt::StartQuery(QueryRequest request) {
  const auto serving =
      std::make_shared<Serving>(request.id, CallIdOf(request.args), request.args, call_);
  queries_.push_back({.serving = serving});
  if (!turn_->hands_out_questions()) return handlers_.Start(serving);
  const auto answer = [serving](absl::StatusOr<QueryOutput> output) {
    serving->SetAnswer(std::move(output));
  };
  if (ended_) return;
  QueryHandler nobody;
  QuestionReply reply(CallQueryHandler(nobody, request.args, {}), answer, serving->context().stop);
  if (turn_->OnEvent(QuestionAsked{std::move(request.args), std::move(reply)}, 0)) return;
  ended_ = true;
  StopRun();
}

void ChatAttempt::StartExec(ExecRequest request) {
  HistoryToolCall key = ToolAnswerCache::KeyOf(request);
  if (std::optional<ToolAnswerCache::Answer> answer = turn_->tool_answers().Take(number_, key)) {
    const connect::TimePoint now = std::chrono::steady_clock::now();
    if (!answer->out.empty() || !answer->err.empty()) {
      run_.AddShellOutput(request.id, answer->out, answer->err, now, SandboxOf(answer->output));
    }
    run_.AnswerExec(request.id, answer->output, now);
    return SendOutputs();
  }
  execs_.push_back({.serving = std::make_shared<Serving>(request.id, request.call_id,
                                                         std::move(request.args), call_),
                    .key = std::move(key)});
  handlers_.Start(execs_.back().serving);
}

void ChatAttempt::StopWork() {
  // Stopped work is forgotten: its answer may come late, when its id may already be in use again.
  const auto stop = [this](std::vector<Work>& works, auto pending) {
    std::erase_if(works, [&](const Work& work) {
      if (pending(work.serving->id())) return false;
      handlers_.Stop(*work.serving);
      return true;
    });
  };
  stop(queries_, [this](uint32_t id) { return run_.query_pending(id); });
  if (turn_->keeps_work_of(*this)) return;
  stop(execs_, [this](uint32_t id) { return run_.exec_pending(id); });
}

void ChatAttempt::DropWork() {
  for (const Work& work : execs_) handlers_.Stop(*work.serving);
  execs_.clear();
}

void ChatAttempt::MoveWork(const connect::Call& call) {
  for (const Work& work : execs_) work.serving->MoveTo(call);
}

bool ChatAttempt::TakeLateAnswers() {
  const connect::TimePoint now = std::chrono::steady_clock::now();
  std::erase_if(execs_, [this, now](Work& work) { return TakeAnswerOf(work, now); });
  return execs_.empty();
}

void ChatAttempt::TakeAnswers() {
  const connect::TimePoint now = std::chrono::steady_clock::now();
  for (Work& work : execs_) (void)TakeAnswerOf(work, now);
  for (Work& work : queries_) (void)TakeAnswerOf(work, now);
}

bool ChatAttempt::TakePiecesOf(Work& work, connect::TimePoint now) {
  while (may_send()) {
    const std::optional<Serving::Piece> piece = work.serving->TakePiece();
    if (!piece) return true;
    ToolAnswerCache::AddPiece(piece->out, piece->err, work.pieces);
    run_.AddShellOutput(work.serving->id(), piece->out, piece->err, now, piece->sandbox);
    SendOutputs();
  }
  return false;
}

bool ChatAttempt::TakeAnswerOf(Work& work, connect::TimePoint now) {
  if (!TakePiecesOf(work, now) || !may_send()) return false;  // OnWritable() will be called
  const std::optional<Serving::Answer> answer = work.serving->TakeAnswer();
  if (!answer) return false;
  if (const auto* output = std::get_if<absl::StatusOr<ExecOutput>>(&*answer)) {
    work.pieces.output = *output;
    turn_->tool_answers().Add(number_, std::move(work.key), std::move(work.pieces));
    run_.AnswerExec(work.serving->id(), *output, now);
  } else {
    run_.AnswerQuery(work.serving->id(), std::get<absl::StatusOr<QueryOutput>>(*answer), now);
  }
  SendOutputs();
  return true;
}

}  // namespace cursorwire
