#include "cursorwire/run.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "agent/events/checkpoint_tokens.h"
#include "agent/events/common_update.h"
#include "agent/events/drift.h"
#include "agent/events/update_events.h"
#include "agent/exec/exec.h"
#include "agent/exec/run_execs.h"
#include "agent/history/state_protection.h"
#include "agent/history/turn_record.h"
#include "agent/query/pending_queries.h"
#include "agent/query/query.h"
#include "agent/run/request_context.h"
#include "agent/run/request_headers.h"
#include "agent/run/run_request.h"
#include "agent/run/server_message.h"
#include "agent/run/turn_phase.h"
#include "agent/run/watchdog.h"
#include "agent/tools/tool_offer.h"
#include "base/error.h"
#include "base/fifo.h"
#include "base/strings.h"
#include "cursorwire/blob_store.h"
#include "cursorwire/connect/redactor.h"

namespace cursorwire {

using connect::TimePoint;

namespace {

namespace pb = ::agent::v1;

constexpr char kRunPath[] = "/agent.v1.AgentService/Run";
// So many messages may wait to be polled before heartbeats are left out.
constexpr size_t kMaxWaitingOutputs = 1024;

}  // namespace

class Run::Impl {
 public:
  Impl(const ChatRequest& request, const RunConversation& conversation, const RunOptions& options,
       IdSource& ids, TimePoint now)
      : request_id_(ids.Uuid()),
        redactor_({options.token}),
        conversation_id_(conversation.id),
        call_request_(CallRequestOf(request, options, request_id_)),
        heartbeat_interval_(options.heartbeat_interval),
        hand_out_queries_(options.hand_out_queries),
        tools_(request.tools),
        request_context_(agent::MakeRequestContext(request, options.environment, tools_)),
        blobs_(conversation.blobs == nullptr ? std::make_shared<MemoryBlobStore>()
                                             : conversation.blobs),
        drift_(options.drift == nullptr ? std::make_shared<DriftLog>() : options.drift),
        execs_(tools_, {.hand_out = options.hand_out_execs,
                        .hand_out_resources = request.tools.resources() != nullptr,
                        .heartbeat_interval = options.exec_heartbeat_interval,
                        .uuid = request_id_}),
        updates_(request.think_tags, [this](ChatEvent&& event) { Emit(std::move(event)); }),
        record_({.prompt = request.prompt,
                 .images = request.images.size(),
                 .items = conversation.items}),
        watchdog_(WatchdogOf(request, options), now) {
    absl::Status status = agent::CheckRunRequest(request, conversation);
    if (!status.ok()) {
      outputs_.emplace_back(RunOutput(CancelCall{}));
      Finish(status);
      return;
    }
    // Before our own blobs are stored.
    start_protection_.Set(conversation.state);
    start_protection_.ApplyIfNeeded();
    const pb::AgentClientMessage message =
        agent::MakeRunRequest(request, conversation, options.environment, tools_, ids, *blobs_);
    conversation_id_ = message.run_request().conversation_id();
    start_protection_.Set(message.run_request().conversation_state());
    start_protection_.ApplyIfNeeded();
    Send(message);
    if (heartbeat_interval_.count() > 0) next_heartbeat_ = connect::After(now, heartbeat_interval_);
  }

  const std::string& conversation_id() const { return conversation_id_; }
  const connect::CallRequest& call_request() const { return call_request_; }

  void PassTextTo(std::function<void(std::string_view)> take) { take_text_ = std::move(take); }

  void On(const connect::MessageView& message, TimePoint now) {
    if (!ended()) OnMessage(message.bytes, now);
  }

  void On(const connect::CallEvent& event, TimePoint now) {
    if (ended()) return;
    if (const auto* message = std::get_if<connect::MessageView>(&event)) {
      OnMessage(message->bytes, now);
    } else if (const auto* end = std::get_if<connect::CallEnd>(&event)) {
      Finish(phase_.Outcome(end->status));
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
    // The call would not take it, and the server would wait for it forever.
    Abandon(LocalError(absl::StatusCode::kResourceExhausted,
                       absl::StrCat("a message of ", message->message.size(),
                                    " bytes is too large to be sent: make the request smaller")));
    return PollOutput();
  }

  std::optional<absl::StatusOr<ChatEvent>> PollEvent() {
    if (events_.empty()) return std::nullopt;
    std::optional<absl::StatusOr<ChatEvent>> event(std::move(events_.front()));
    events_.pop_front();
    return event;
  }

  std::optional<ExecRequest> PollExec() {
    std::optional<ExecRequest> request = execs_.Poll();
    if (request) record_.OnExec(*request);
    return request;
  }
  bool exec_pending(uint32_t id) const { return execs_.contains(id); }

  void AnswerExec(uint32_t id, const absl::StatusOr<ExecOutput>& output, TimePoint now) {
    record_.OnExecAnswer(id, output);
    if (!execs_.contains(id)) return;
    SendAll(execs_.Answer(id, output));
    OnAnswer(now);
  }

  void AddShellOutput(uint32_t id, std::string_view out, std::string_view err, TimePoint now,
                      const std::optional<SandboxPolicy>& sandbox) {
    record_.OnExecOutput(id, out, err);
    if (!execs_.contains(id)) return;
    SendAll(execs_.AddShellOutput(id, out, err, sandbox));
    OnAnswer(now);
  }

  std::optional<QueryRequest> PollQuery() { return queries_.Poll(); }
  bool query_pending(uint32_t id) const { return queries_.contains(id); }

  void AnswerQuery(uint32_t id, const absl::StatusOr<QueryOutput>& output, TimePoint now) {
    const std::optional<pb::InteractionQuery> query = queries_.Take(id);
    if (!query) return;
    SendOrStop(agent::AnswerQuery(*query, output), now);
    OnAnswer(now);
  }

  void Cancel(TimePoint now) { Stop(CancelledByCaller(), now); }

  std::optional<TimePoint> NextDeadline() const {
    if (ended()) return std::nullopt;
    std::optional<TimePoint> next = next_heartbeat_;
    for (const std::optional<TimePoint>& due :
         {phase_.deadline(), execs_.next_heartbeat(), WatchdogDeadline()}) {
      if (due && (!next || *due < *next)) next = due;
    }
    return next;
  }

  void OnDeadline(TimePoint now) {
    if (ended()) return;
    if (phase_.TimeIsOver(now)) return Abandon(absl::OkStatus());
    SendHeartbeats(now);
    Watch(now);
  }

  void RestartWatchdog(TimePoint now) {
    watchdog_.Restart(now);
    phase_.ProlongTail(now);
  }

  RunProgress progress() const { return record_.progress(); }
  bool finished() const { return ended() && events_.empty(); }
  bool ended() const { return phase_.over(); }

 private:
  // A blob that the server asked for. The answer is made when it is polled: a few bytes of the
  // server must not make us hold the same blob many times.
  struct WantedBlob {
    uint32_t kv_id = 0;
    std::string blob_id{};
  };
  // The same of the request context, which may be large.
  struct WantedContext {
    uint32_t id = 0;
    std::string exec_id{};
  };
  using PendingOutput = std::variant<RunOutput, WantedBlob, WantedContext, agent::ExecRefusal>;

  // The request's own idle timeout replaces the one that the host sets for all turns.
  static WatchdogOptions WatchdogOf(const ChatRequest& request, const RunOptions& options) {
    WatchdogOptions watchdog = options.watchdog;
    if (request.idle_timeout.count() > 0) watchdog.idle_timeout = {};
    return watchdog;
  }

  static connect::CallRequest CallRequestOf(const ChatRequest& request, const RunOptions& options,
                                            const std::string& request_id) {
    return {.path = kRunPath,
            .kind = connect::CallKind::kStreaming,
            .options = {.headers = agent::RequestHeaders(options, request_id),
                        .accept_compression = connect::Compression::kIdentity,
                        .timeout = request.timeout,
                        // No client sends it: the service's own limits are to hold.
                        .announce_timeout = connect::AnnounceTimeout::kNo,
                        .idle_timeout = request.idle_timeout},
            .message_at_deadline = CancelAction().SerializeAsString()};
  }

  static pb::AgentClientMessage CancelAction() {
    pb::AgentClientMessage message;
    message.mutable_conversation_action()->mutable_cancel_action();
    return message;
  }

  // Nothing follows the half-close of a run that was stopped.
  void Send(const pb::AgentClientMessage& message) {
    if (phase_.stopping()) return;
    outputs_.emplace_back(RunOutput(SendMessage{message.SerializeAsString()}));
  }

  void SendAll(const std::vector<pb::AgentClientMessage>& messages) {
    for (const pb::AgentClientMessage& message : messages) Send(message);
  }

  // The answer is complete once TurnEnded was given: nothing is added to it, and no call is shown.
  // Source: docs/protocol.md, end of a run.
  static bool IsOfAnswer(const ChatEvent& event) {
    return event.As<TextDelta>() != nullptr || event.As<ThinkingDelta>() != nullptr ||
           event.As<ToolCallPartial>() != nullptr || event.As<ToolCallStarted>() != nullptr ||
           event.As<ToolCallDelta>() != nullptr || event.As<ToolCallCompleted>() != nullptr ||
           event.As<ShellOutputDelta>() != nullptr;
  }

  void Emit(ChatEvent&& event) {
    if (told_end_ && IsOfAnswer(event)) return;
    told_end_ = told_end_ || event.As<TurnEnded>() != nullptr;
    if (const auto* notice = event.As<ServerNotice>()) {
      event = ServerNotice{redactor_.Redact(notice->text)};
    }
    record_.OnEvent(event);
    events_.emplace_back(std::move(event));
  }

  // Tells the server to stop, and ends with `reason` when it has, or after a grace.
  void Stop(absl::Status reason, TimePoint now) {
    if (phase_.stopping() || ended()) return;
    Send(CancelAction());
    ForgetHostsWork();
    phase_.Stop(std::move(reason), now);
    outputs_.emplace_back(RunOutput(CloseSend{}));
    next_heartbeat_.reset();
  }

  void Finish(const absl::Status& status) {
    if (ended()) return;
    phase_.End();
    ForgetHostsWork();
    updates_.Flush();
    if (!status.ok()) events_.emplace_back(redactor_.Redact(status));
  }

  void ForgetHostsWork() {
    execs_.Clear();
    queries_.Clear();
  }

  // Ends the turn and resets its call, as if the call had ended with `call_status`. What waits to
  // be sent is pointless now, and must not keep the reset waiting.
  void Abandon(const absl::Status& call_status) {
    outputs_.clear();
    outputs_.emplace_back(RunOutput(CancelCall{}));
    Finish(phase_.Outcome(call_status));
  }

  void SendHeartbeats(TimePoint now) {
    // A server that does not read gets no more of them.
    const bool behind = outputs_.size() >= kMaxWaitingOutputs;
    if (next_heartbeat_ && *next_heartbeat_ <= now) {
      pb::AgentClientMessage heartbeat;
      heartbeat.mutable_client_heartbeat();
      if (!behind) Send(heartbeat);
      next_heartbeat_ = connect::After(now, heartbeat_interval_);
    }
    if (const auto due = execs_.next_heartbeat(); due && *due <= now) {
      const std::vector<pb::AgentClientMessage> heartbeats = execs_.Heartbeats(now);
      if (!behind) SendAll(heartbeats);
    }
  }

  // Whose silence the watchdog counts.
  void SetWaitsFor(TimePoint now) {
    const bool host = !execs_.empty() || !queries_.empty();
    watchdog_.SetWaitsFor(host ? agent::WaitsFor::kHost : agent::WaitsFor::kServer, now);
  }

  void OnAnswer(TimePoint now) {
    watchdog_.OnAnswer(now);
    SetWaitsFor(now);
  }

  // After turn_ended silence is not a failure, and a run that was stopped has its own deadline.
  std::optional<TimePoint> WatchdogDeadline() const {
    if (!phase_.working()) return std::nullopt;
    return watchdog_.deadline();
  }

  void Watch(TimePoint now) {
    if (!phase_.working()) return;
    const std::optional<std::string> overdue = watchdog_.Overdue(now);
    if (!overdue) return;
    Stop(LocalError(absl::StatusCode::kDeadlineExceeded, absl::StrCat(Unanswered(), *overdue)),
         now);
  }

  // What the host has in hand, if anything, to begin a sentence with.
  std::string Unanswered() const {
    if (!execs_.empty()) return absl::StrCat(execs_.DescribeFirst(), " was ");
    if (!queries_.empty()) return absl::StrCat(queries_.DescribeFirst(), " was ");
    return "";
  }

  void OnMessage(std::string_view bytes, TimePoint now) {
    if (const auto update = agent::FindCommonUpdate(bytes)) return OnCommonUpdate(*update, now);
    pb::AgentServerMessage message;
    const absl::Status status = agent::ParseServerMessage(bytes, message);
    if (!status.ok()) return Abandon(status);
    OnSign(agent::IsSignOfLife(message) ? agent::Sign::kHeartbeat : agent::Sign::kWork, now);
    ReportDrift(message);
    Dispatch(message, now);
    SetWaitsFor(now);
  }

  void OnCommonUpdate(const agent::CommonUpdate& update, TimePoint now) {
    const bool is_heartbeat = update.kind == agent::CommonUpdate::Kind::kHeartbeat;
    OnSign(is_heartbeat ? agent::Sign::kHeartbeat : agent::Sign::kWork, now);
    const bool is_text = update.kind == agent::CommonUpdate::Kind::kText;
    if (is_text && take_text_ && !told_end_ && events_.empty() && updates_.passes_text()) {
      record_.OnText(update.text);
      take_text_(update.text);
    } else {
      updates_.Add(update);
    }
    SetWaitsFor(now);
  }

  void OnSign(agent::Sign sign, TimePoint now) {
    watchdog_.OnReceived(sign, now);
    if (sign == agent::Sign::kWork) phase_.ProlongTail(now);
  }

  void ReportDrift(const pb::AgentServerMessage& message) {
    if (agent::HasNoDrift(message)) return;
    agent::FindDrift(message, "", [this](std::string_view path) {
      if (drift_->Add(path)) Emit(DriftFound{std::string(path)});
    });
  }

  void Dispatch(pb::AgentServerMessage& message, TimePoint now) {
    switch (message.message_case()) {
      case pb::AgentServerMessage::kInteractionUpdate:
        return OnUpdate(*message.mutable_interaction_update(), now);
      case pb::AgentServerMessage::kExecServerMessage:
        return OnExec(message.exec_server_message(), now);
      case pb::AgentServerMessage::kConversationCheckpointUpdate:
        return OnCheckpoint(std::move(*message.mutable_conversation_checkpoint_update()));
      case pb::AgentServerMessage::kKvServerMessage:
        return OnKv(message.kv_server_message(), now);
      case pb::AgentServerMessage::kInteractionQuery:
        return OnQuery(message.interaction_query(), now);
      case pb::AgentServerMessage::kExecServerControlMessage:
        return OnExecControl(message.exec_server_control_message());
      case pb::AgentServerMessage::MESSAGE_NOT_SET:
        // A message of a newer schema. Such messages need no answer.
        return;
    }
  }

  void OnUpdate(pb::InteractionUpdate& update, TimePoint now) {
    if (update.has_turn_ended()) {
      if (phase_.complete()) return;  // said once more
      phase_.OnTurnEnded(now);
    }
    updates_.Add(update);
  }

  void OnCheckpoint(std::string state) {
    const agent::CheckpointTokens tokens = agent::ReadCheckpointTokens(state);
    checkpoint_protection_.Set(state);
    Emit(Checkpoint{
        .state = std::move(state), .used_tokens = tokens.used, .max_tokens = tokens.max});
  }

  void OnExec(const pb::ExecServerMessage& exec, TimePoint now) {
    if (phase_.stopping()) return;  // nobody wants the answer
    if (exec.has_request_context_args()) return WantContext(exec);
    // The user has seen the end of the turn: nothing is done after it.
    absl::StatusOr<std::optional<agent::ExecRefusal>> refusal =
        phase_.in_tail() ? execs_.OnLate(exec) : execs_.On(exec, now);
    if (!refusal.ok()) return Abandon(refusal.status());
    if (*refusal) outputs_.emplace_back(**std::move(refusal));
  }

  void WantContext(const pb::ExecServerMessage& exec) {
    outputs_.emplace_back(WantedContext{exec.id(), exec.exec_id()});
  }

  // An exec that was aborted needs no result.
  void OnExecControl(const pb::ExecServerControlMessage& control) {
    if (!control.has_abort()) return;
    execs_.Abort(control.abort().id());
    record_.OnExecAbort(control.abort().id());
  }

  void OnKv(const pb::KvServerMessage& kv, TimePoint now) {
    pb::AgentClientMessage answer;
    pb::KvClientMessage& result = *answer.mutable_kv_client_message();
    result.set_id(kv.id());
    if (kv.has_get_blob_args()) {
      if (!phase_.stopping()) {
        outputs_.emplace_back(WantedBlob{kv.id(), kv.get_blob_args().blob_id()});
      }
      return;
    }
    if (kv.has_set_blob_args()) {
      start_protection_.ApplyIfNeeded();
      checkpoint_protection_.ApplyIfNeeded();
      const absl::Status status =
          blobs_->Set(kv.set_blob_args().blob_id(), kv.set_blob_args().blob_data());
      pb::SetBlobResult& set = *result.mutable_set_blob_result();
      if (!status.ok()) set.mutable_error()->set_message(std::string(status.message()));
    } else {
      // An operation of a newer schema: no answer would be right, and without one the run would
      // wait forever.
      return Stop(
          LocalError(absl::StatusCode::kUnimplemented,
                     "the server asked for a blob operation that this client does not know"),
          now);
    }
    Send(answer);
  }

  RunOutput Make(PendingOutput& pending) {
    if (const auto* blob = std::get_if<WantedBlob>(&pending)) return AnswerWithBlob(*blob);
    if (const auto* context = std::get_if<WantedContext>(&pending)) {
      return AnswerWithContext(*context);
    }
    if (const auto* refusal = std::get_if<agent::ExecRefusal>(&pending)) {
      return SendFirst(execs_.Answer(*refusal));
    }
    return std::get<RunOutput>(std::move(pending));
  }

  RunOutput AnswerWithContext(const WantedContext& wanted) {
    pb::ExecServerMessage exec;
    exec.set_id(wanted.id);
    exec.set_exec_id(wanted.exec_id);
    return SendFirst(agent::AnswerRequestContext(exec, request_context_));
  }

  // The others are the next outputs.
  RunOutput SendFirst(const std::vector<pb::AgentClientMessage>& answers) {
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
    } else if (!ended() && !std::exchange(state_lost_, true)) {
      Emit(StateLost{});
    }
    return SendMessage{answer.SerializeAsString()};
  }

  void OnQuery(const pb::InteractionQuery& query, TimePoint now) {
    if (phase_.stopping()) return;
    std::optional<QueryArgs> args;
    if (hand_out_queries_) args = agent::ToQueryArgs(query);
    if (!args) return SendOrStop(agent::AnswerQuery(query), now);
    const absl::Status status = queries_.Add(query, *std::move(args));
    if (status.code() == absl::StatusCode::kAlreadyExists) {
      return Abandon(ProtocolError(ToStd(status.message())));
    }
    if (!status.ok()) SendOrStop(agent::AnswerQuery(query, status), now);
  }

  void SendOrStop(const absl::StatusOr<pb::AgentClientMessage>& answer, TimePoint now) {
    if (answer.ok()) return Send(*answer);
    Stop(answer.status(), now);
  }

  const std::string request_id_;
  const connect::Redactor redactor_;  // of the token, in what the server says
  std::string conversation_id_;       // changed by the constructor alone
  connect::CallRequest call_request_;
  const std::chrono::milliseconds heartbeat_interval_;
  const bool hand_out_queries_;
  const agent::ToolOffer tools_;
  const pb::RequestContext request_context_;
  const std::shared_ptr<BlobStore> blobs_;  // the turns of a conversation share it
  // For the state that the server works with, and for the one that a next Run may go on from.
  agent::StateProtection start_protection_{blobs_, request_id_ + " start"};
  agent::StateProtection checkpoint_protection_{blobs_, request_id_ + " checkpoint"};
  const std::shared_ptr<DriftLog> drift_;  // the turns of a client share it
  agent::RunExecs execs_;
  agent::PendingQueries queries_;
  std::function<void(std::string_view)> take_text_;
  agent::UpdateEvents updates_;
  agent::TurnRecord record_;
  agent::Watchdog watchdog_;
  agent::TurnPhase phase_;
  Fifo<PendingOutput> outputs_;
  Fifo<absl::StatusOr<ChatEvent>> events_;
  std::optional<TimePoint> next_heartbeat_;
  bool state_lost_ = false;  // StateLost was given
  bool told_end_ = false;    // TurnEnded was given
};

Run::Run(const ChatRequest& request, const RunOptions& options, IdSource& ids, TimePoint now)
    : Run(request, RunConversation(), options, ids, now) {}
Run::Run(const ChatRequest& request, const RunConversation& conversation, const RunOptions& options,
         IdSource& ids, TimePoint now)
    : impl_(std::make_unique<Impl>(request, conversation, options, ids, now)) {}
Run::~Run() = default;
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;

const std::string& Run::conversation_id() const { return impl_->conversation_id(); }
const connect::CallRequest& Run::call_request() const { return impl_->call_request(); }
void Run::PassTextTo(std::function<void(std::string_view text)> take) {
  impl_->PassTextTo(std::move(take));
}
void Run::On(const connect::CallEvent& event, TimePoint now) { impl_->On(event, now); }
void Run::On(const connect::MessageView& message, TimePoint now) { impl_->On(message, now); }

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
void Run::AnswerExec(uint32_t id, const absl::StatusOr<ExecOutput>& output, TimePoint now) {
  impl_->AnswerExec(id, output, now);
}
void Run::AddShellOutput(uint32_t id, std::string_view out, std::string_view err, TimePoint now,
                         const std::optional<SandboxPolicy>& sandbox) {
  impl_->AddShellOutput(id, out, err, now, sandbox);
}
bool Run::exec_pending(uint32_t id) const { return impl_->exec_pending(id); }
std::optional<QueryRequest> Run::PollQuery() { return impl_->PollQuery(); }
void Run::AnswerQuery(uint32_t id, const absl::StatusOr<QueryOutput>& output, TimePoint now) {
  impl_->AnswerQuery(id, output, now);
}
bool Run::query_pending(uint32_t id) const { return impl_->query_pending(id); }
void Run::Cancel(TimePoint now) { impl_->Cancel(now); }
std::optional<TimePoint> Run::NextDeadline() const { return impl_->NextDeadline(); }
void Run::OnDeadline(TimePoint now) { impl_->OnDeadline(now); }
void Run::RestartWatchdog(TimePoint now) { impl_->RestartWatchdog(now); }
RunProgress Run::progress() const { return impl_->progress(); }
bool Run::finished() const { return impl_->finished(); }
bool Run::ended() const { return impl_->ended(); }

}  // namespace cursorwire
