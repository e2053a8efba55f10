#include "cursorwire/run.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/stubs/logging.h>

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "agent/error_details.h"
#include "agent/exec.h"
#include "agent/exec_args.h"
#include "agent/pending_execs.h"
#include "agent/query.h"
#include "agent/request_context.h"
#include "agent/request_headers.h"
#include "agent/run_request.h"
#include "base/error.h"
#include "cursorwire/blob_store.h"

namespace cursorwire {

using connect::TimePoint;

namespace {

namespace pb = ::agent::v1;

constexpr char kRunPath[] = "/agent.v1.AgentService/Run";
// From a cancel to the reset, for the server to end the call itself.
constexpr std::chrono::milliseconds kCancelGrace{500};
// After turn_ended the server sends checkpoints and ends the call. Silence is then no failure.
constexpr std::chrono::milliseconds kTailSilence{10'000};

// One answer to an action, with all its messages.
constexpr size_t kMaxExecAnswerBytes = size_t{16} * 1024 * 1024;

Usage ToUsage(const pb::TurnEndedUpdate& update) {
  Usage usage;
  if (update.has_input_tokens()) usage.input_tokens = update.input_tokens();
  if (update.has_output_tokens()) usage.output_tokens = update.output_tokens();
  if (update.has_cache_read_tokens()) usage.cache_read_tokens = update.cache_read_tokens();
  if (update.has_cache_write_tokens()) usage.cache_write_tokens = update.cache_write_tokens();
  if (update.has_reasoning_tokens()) usage.reasoning_tokens = update.reasoning_tokens();
  return usage;
}

}  // namespace

class Run::Impl {
 public:
  Impl(const ChatRequest& request, const RunOptions& options, IdSource& ids, TimePoint now)
      : heartbeat_interval_(options.heartbeat_interval),
        exec_policy_(options.execs),
        request_context_(agent::MakeRequestContext(request, options.environment)),
        blobs_(request.blobs == nullptr ? std::make_shared<BlobStore>() : request.blobs) {
    call_request_ = {.path = kRunPath,
                     .kind = connect::CallKind::kStreaming,
                     .options = {.headers = agent::RequestHeaders(options, ids.Uuid()),
                                 .accept_compression = connect::Compression::kIdentity,
                                 .timeout = request.max_time,
                                 // No client sends it: the service's own limits are to hold.
                                 .announce_timeout = connect::AnnounceTimeout::kNo,
                                 .idle_timeout = request.max_idle}};
    if (absl::Status status = agent::CheckRunRequest(request); !status.ok()) {
      FinishAndCancelCall(status);
      return;
    }
    Send(agent::MakeRunRequest(request, options.environment, ids, *blobs_));
    if (heartbeat_interval_.count() > 0) next_heartbeat_ = connect::After(now, heartbeat_interval_);
  }

  const connect::CallRequest& call_request() const { return call_request_; }

  void On(const connect::CallEvent& event, TimePoint now) {
    if (finished_) return;
    if (const auto* message = std::get_if<connect::MessageView>(&event)) {
      OnMessage(message->bytes, now);
    } else if (const auto* end = std::get_if<connect::CallEnd>(&event)) {
      Finish(FinalStatus(end->status));
    }
  }

  std::optional<RunOutput> PollOutput() {
    if (outputs_.empty()) return std::nullopt;
    PendingOutput pending = std::move(outputs_.front());
    outputs_.pop_front();
    RunOutput output = Make(pending);
    const auto* message = std::get_if<SendMessage>(&output);
    if (message == nullptr || message->message.size() <= call_request_.options.max_send_bytes) {
      return output;
    }
    // The call would not take it, and the server would wait for it for ever.
    FinishAndCancelCall(FinalStatus(
        LocalError(absl::StatusCode::kResourceExhausted,
                   absl::StrCat("a message of ", message->message.size(),
                                " bytes is too large to be sent: make the request smaller"))));
    return PollOutput();
  }

  std::optional<absl::StatusOr<ChatEvent>> PollEvent() {
    if (events_.empty()) return std::nullopt;
    absl::StatusOr<ChatEvent> event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

  std::optional<ExecRequest> PollExec() { return execs_.Poll(); }

  void AnswerExec(uint32_t id, const absl::StatusOr<ExecOutput>& output) {
    const std::optional<pb::ExecServerMessage> exec = execs_.Take(id);
    if (!exec) return;
    std::vector<pb::AgentClientMessage> answers = agent::AnswerExec(*exec, output);
    size_t bytes = 0;
    for (const pb::AgentClientMessage& answer : answers) bytes += answer.ByteSizeLong();
    if (bytes > kMaxExecAnswerBytes) {
      answers = agent::AnswerExec(
          *exec, LocalError(absl::StatusCode::kOutOfRange,
                            absl::StrCat("the result of ", bytes, " bytes is too large")));
    }
    SendAll(answers);
  }

  bool exec_pending(uint32_t id) const { return execs_.contains(id); }

  void Cancel(TimePoint now) {
    if (finished_ || stop_reason_) return;
    Stop(CancelledByCaller(), now);
  }

  std::optional<TimePoint> NextDeadline() const {
    if (finished_) return std::nullopt;
    std::optional<TimePoint> next = next_heartbeat_;
    for (const std::optional<TimePoint>& due : {cancel_at_, tail_until_}) {
      if (due && (!next || *due < *next)) next = due;
    }
    return next;
  }

  void OnDeadline(TimePoint now) {
    if (finished_) return;
    if ((cancel_at_ && *cancel_at_ <= now) || (tail_until_ && *tail_until_ <= now)) {
      return FinishAndCancelCall(FinalStatus(absl::OkStatus()));
    }
    if (next_heartbeat_ && *next_heartbeat_ <= now) {
      pb::AgentClientMessage heartbeat;
      heartbeat.mutable_client_heartbeat();
      Send(heartbeat);
      next_heartbeat_ = connect::After(now, heartbeat_interval_);
    }
  }

  bool finished() const { return finished_ && events_.empty(); }
  bool ended() const { return finished_; }

 private:
  // A blob that the server asked for. The answer is made when it is polled: a few bytes of the
  // server must not make us hold the same blob many times.
  struct WantedBlob {
    uint32_t kv_id = 0;
    std::string blob_id{};
  };
  // The same of the request context, which may be large.
  struct WantedContext {
    pb::ExecServerMessage exec{};
  };
  using PendingOutput = std::variant<RunOutput, WantedBlob, WantedContext>;

  // Nothing follows the half-close of a run that was stopped.
  void Send(const pb::AgentClientMessage& message) {
    if (stop_reason_) return;
    outputs_.emplace_back(RunOutput(SendMessage{message.SerializeAsString()}));
  }

  void SendAll(const std::vector<pb::AgentClientMessage>& messages) {
    for (const pb::AgentClientMessage& message : messages) Send(message);
  }

  void Emit(ChatEvent event) { events_.emplace_back(std::move(event)); }

  // Tells the server to stop, and ends with `reason` when it has, or after a grace.
  void Stop(absl::Status reason, TimePoint now) {
    pb::AgentClientMessage message;
    message.mutable_conversation_action()->mutable_cancel_action();
    Send(message);
    execs_.Clear();
    stop_reason_ = std::move(reason);
    outputs_.emplace_back(RunOutput(CloseSend{}));
    next_heartbeat_.reset();
    cancel_at_ = now + kCancelGrace;
  }

  void Finish(const absl::Status& status) {
    if (finished_) return;
    finished_ = true;
    execs_.Clear();
    if (!status.ok()) events_.emplace_back(status);
  }

  // What waits to be sent is pointless now, and must not keep the reset waiting.
  void FinishAndCancelCall(const absl::Status& status) {
    outputs_.clear();
    outputs_.emplace_back(RunOutput(CancelCall{}));
    Finish(status);
  }

  // What the end of the call means for the turn.
  absl::Status FinalStatus(const absl::Status& call_status) const {
    // The server closes right after turn_ended, in any way it likes.
    if (turn_ended_) return absl::OkStatus();
    if (stop_reason_) return *stop_reason_;
    if (call_status.ok()) return call_status;
    const connect::ErrorInfo info =
        connect::GetErrorInfo(call_status).value_or(connect::ErrorInfo{});
    const bool lost = call_status.code() == absl::StatusCode::kInternal &&
                      info.origin == connect::ErrorOrigin::kTransport && !info.http2_code;
    if (lost) {
      return MakeError(absl::StatusCode::kUnavailable,
                       absl::StrCat("the connection was lost before the end of the turn: ",
                                    call_status.message()),
                       info);
    }
    return agent::WithErrorDetails(call_status);
  }

  void OnMessage(std::string_view bytes, TimePoint now) {
    pb::AgentServerMessage message;
    // A string that is no UTF-8 is an error of ours to report, not protobuf's to print.
    const google::protobuf::LogSilencer silencer;
    if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
      return FinishAndCancelCall(FinalStatus(ProtocolError(
          absl::StrCat("agent.v1.AgentServerMessage of ", bytes.size(), " bytes does not parse"))));
    }
    Dispatch(message, now);
    if (turn_ended_ && !IsHeartbeat(message)) tail_until_ = now + kTailSilence;
  }

  static bool IsHeartbeat(const pb::AgentServerMessage& message) {
    return message.has_interaction_update() && message.interaction_update().has_heartbeat();
  }

  void Dispatch(pb::AgentServerMessage& message, TimePoint now) {
    switch (message.message_case()) {
      case pb::AgentServerMessage::kInteractionUpdate:
        return OnUpdate(*message.mutable_interaction_update());
      case pb::AgentServerMessage::kExecServerMessage:
        return OnExec(message.exec_server_message());
      case pb::AgentServerMessage::kConversationCheckpointUpdate:
        return Emit(Checkpoint{std::move(*message.mutable_conversation_checkpoint_update())});
      case pb::AgentServerMessage::kKvServerMessage:
        return OnKv(message.kv_server_message(), now);
      case pb::AgentServerMessage::kInteractionQuery:
        return OnQuery(message.interaction_query(), now);
      case pb::AgentServerMessage::kExecServerControlMessage:
        return OnExecControl(message.exec_server_control_message());
      case pb::AgentServerMessage::MESSAGE_NOT_SET:
        // Of a newer schema; such messages carry nothing that has to be answered.
        return;
    }
  }

  void OnUpdate(pb::InteractionUpdate& update) {
    switch (update.message_case()) {
      case pb::InteractionUpdate::kTextDelta:
        return Emit(TextDelta{std::move(*update.mutable_text_delta()->mutable_text())});
      case pb::InteractionUpdate::kThinkingDelta:
        return Emit(ThinkingDelta{std::move(*update.mutable_thinking_delta()->mutable_text())});
      case pb::InteractionUpdate::kTokenDelta:
        return Emit(TokenUsage{update.token_delta().tokens()});
      case pb::InteractionUpdate::kTurnEnded:
        turn_ended_ = true;
        return Emit(TurnEnded{ToUsage(update.turn_ended())});
      default:
        return;  // for display only
    }
  }

  void OnExec(const pb::ExecServerMessage& exec) {
    if (exec.has_request_context_args()) {
      return WantContext(exec);
    }
    std::optional<ExecArgs> args;
    if (exec_policy_ == ExecPolicy::kHandOut) args = agent::ToExecArgs(exec);
    if (!args) return SendAll(agent::RefuseExec(exec));
    if (stop_reason_) return;  // nobody wants the answer
    if (absl::Status status = execs_.Add(exec, *std::move(args)); !status.ok()) {
      SendAll(agent::AnswerExec(exec, status));
    }
  }

  void WantContext(const pb::ExecServerMessage& exec) {
    if (stop_reason_) return;
    WantedContext wanted;
    wanted.exec.set_id(exec.id());
    wanted.exec.set_exec_id(exec.exec_id());
    outputs_.emplace_back(std::move(wanted));
  }

  // An exec that was aborted needs no result.
  void OnExecControl(const pb::ExecServerControlMessage& control) {
    if (control.has_abort()) execs_.Take(control.abort().id());
  }

  void OnKv(const pb::KvServerMessage& kv, TimePoint now) {
    pb::AgentClientMessage answer;
    pb::KvClientMessage& result = *answer.mutable_kv_client_message();
    result.set_id(kv.id());
    if (kv.has_get_blob_args()) {
      if (!stop_reason_) outputs_.emplace_back(WantedBlob{kv.id(), kv.get_blob_args().blob_id()});
      return;
    }
    if (kv.has_set_blob_args()) {
      const absl::Status status =
          blobs_->Set(kv.set_blob_args().blob_id(), kv.set_blob_args().blob_data());
      pb::SetBlobResult& set = *result.mutable_set_blob_result();
      if (!status.ok()) set.mutable_error()->set_message(std::string(status.message()));
    } else {
      // Of a newer schema: no answer would be right, and without one the run would park.
      if (!stop_reason_) {
        Stop(LocalError(absl::StatusCode::kUnimplemented,
                        "the server asked for a blob operation that this client does not know"),
             now);
      }
      return;
    }
    Send(answer);
  }

  RunOutput Make(PendingOutput& pending) {
    if (const auto* blob = std::get_if<WantedBlob>(&pending)) return AnswerWithBlob(*blob);
    if (const auto* context = std::get_if<WantedContext>(&pending)) {
      return AnswerWithContext(*context);
    }
    return std::get<RunOutput>(std::move(pending));
  }

  // The result; its close is the next output.
  RunOutput AnswerWithContext(const WantedContext& wanted) {
    const std::vector<pb::AgentClientMessage> answers =
        agent::AnswerRequestContext(wanted.exec, request_context_);
    for (size_t i = answers.size() - 1; i > 0; --i) {
      outputs_.emplace_front(RunOutput(SendMessage{answers[i].SerializeAsString()}));
    }
    return SendMessage{answers[0].SerializeAsString()};
  }

  RunOutput AnswerWithBlob(const WantedBlob& wanted) {
    pb::AgentClientMessage answer;
    pb::KvClientMessage& result = *answer.mutable_kv_client_message();
    result.set_id(wanted.kv_id);
    pb::GetBlobResult& got = *result.mutable_get_blob_result();
    // A blob we do not have is answered without data: there is no other form.
    if (std::optional<std::string> bytes = blobs_->Get(wanted.blob_id)) {
      got.set_blob_data(*std::move(bytes));
    } else if (!finished_ && !std::exchange(state_lost_, true)) {
      Emit(StateLost{});
    }
    return SendMessage{answer.SerializeAsString()};
  }

  void OnQuery(const pb::InteractionQuery& query, TimePoint now) {
    absl::StatusOr<pb::AgentClientMessage> answer = agent::AnswerQuery(query);
    if (answer.ok()) return Send(*answer);
    if (!stop_reason_) Stop(answer.status(), now);
  }

  connect::CallRequest call_request_;
  const std::chrono::milliseconds heartbeat_interval_;
  const ExecPolicy exec_policy_;
  const pb::RequestContext request_context_;
  const std::shared_ptr<BlobStore> blobs_;  // the turns of a conversation share it
  agent::PendingExecs execs_;
  std::deque<PendingOutput> outputs_;
  std::deque<absl::StatusOr<ChatEvent>> events_;
  std::optional<TimePoint> next_heartbeat_;
  std::optional<TimePoint> cancel_at_;
  std::optional<TimePoint> tail_until_;
  std::optional<absl::Status> stop_reason_;  // we asked the server to stop
  bool state_lost_ = false;
  bool turn_ended_ = false;
  bool finished_ = false;
};

Run::Run(const ChatRequest& request, const RunOptions& options, IdSource& ids, TimePoint now)
    : impl_(std::make_unique<Impl>(request, options, ids, now)) {}
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;

const connect::CallRequest& Run::call_request() const { return impl_->call_request(); }
void Run::On(const connect::CallEvent& event, TimePoint now) { impl_->On(event, now); }

void Run::On(const connect::ConnectionEvent& event, TimePoint now) {
  if (const auto* message = std::get_if<connect::MessageView>(&event.what)) {
    impl_->On(*message, now);
  } else if (const auto* end = std::get_if<connect::CallEnd>(&event.what)) {
    impl_->On(*end, now);
  }
}

std::optional<RunOutput> Run::PollOutput() { return impl_->PollOutput(); }
std::optional<absl::StatusOr<ChatEvent>> Run::PollEvent() { return impl_->PollEvent(); }
std::optional<ExecRequest> Run::PollExec() { return impl_->PollExec(); }
void Run::AnswerExec(uint32_t id, const absl::StatusOr<ExecOutput>& output) {
  impl_->AnswerExec(id, output);
}
bool Run::exec_pending(uint32_t id) const { return impl_->exec_pending(id); }
void Run::Cancel(TimePoint now) { impl_->Cancel(now); }
std::optional<TimePoint> Run::NextDeadline() const { return impl_->NextDeadline(); }
void Run::OnDeadline(TimePoint now) { impl_->OnDeadline(now); }
bool Run::finished() const { return impl_->finished(); }
bool Run::ended() const { return impl_->ended(); }

}  // namespace cursorwire
