#include "upstream/script_player.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "agent/sha256.h"
#include "agent/v1/conversation.pb.h"
#include "base/strings.h"
#include "upstream/gzip.h"
#include "upstream/server_error.h"
#include "wire/envelope.h"

namespace cursorwire::upstream {
namespace {

namespace pb = ::agent::v1;

constexpr size_t kMaxViolationBytes = 2000;

// How the service ends a run that was cancelled. Source: docs/protocol.md, cancel.
constexpr char kCancelled[] = R"({"error":{"code":"canceled","message":"Error"}})";

Json HeadersJson(const connect::Headers& headers) {
  Json object = Json::object();
  for (const connect::Header& header : headers) {
    Json& value = object[header.name];
    value = value.is_null() ? header.value : value.get<std::string>() + ", " + header.value;
  }
  return object;
}

template <typename T>
bool Is(const ScriptStep& step) {
  return std::holds_alternative<T>(step.what);
}

void SetId(pb::AgentServerMessage& message, Ask::Kind kind, uint32_t id) {
  if (kind == Ask::Kind::kExec) return message.mutable_exec_server_message()->set_id(id);
  if (kind == Ask::Kind::kQuery) return message.mutable_interaction_query()->set_id(id);
  message.mutable_kv_server_message()->set_id(id);
}

uint32_t IdOf(const pb::AgentServerMessage& message, Ask::Kind kind) {
  if (kind == Ask::Kind::kExec) return message.exec_server_message().id();
  if (kind == Ask::Kind::kQuery) return message.interaction_query().id();
  return message.kv_server_message().id();
}

}  // namespace

// --- the course of the script

void ScriptPlayer::On(const pb::AgentClientMessage& message, TimePoint now) {
  if (done_) return;  // crossed the end on its way
  if (!request_ && !message.has_run_request()) {
    return Fail(step_, "the first message of a run is no run_request");
  }
  const ScriptStep* step =
      request_ && step_ < script_.steps.size() ? &script_.steps[step_] : nullptr;
  const auto* wanted = step == nullptr ? nullptr : std::get_if<ExpectMessage>(&step->what);
  if (wanted != nullptr && !FindMismatch(wanted->pattern, MessageToJson(message))) {
    step_complete_ = true;
    cancelled_ = cancelled_ || message.conversation_action().has_cancel_action();
  } else {
    Dispatch(message);
  }
  Play(now);
}

void ScriptPlayer::OnHalfClose(TimePoint now) {
  if (done_) return;
  half_closed_ = true;
  const bool expected = cancelled_ || end_stream_sent_ || finished_ ||
                        Expects<ExpectHalfClose, ExpectDisconnect, Stall>();
  if (!expected) return Fail(step_, "the request ended before the run, without a cancel");
  Play(now);
}

void ScriptPlayer::OnGone(TimePoint now) {
  if (done_) return;
  gone_ = true;
  outputs_.clear();
  const bool expected =
      cancelled_ || end_stream_sent_ || finished_ || Expects<ExpectDisconnect, Stall>();
  if (!expected) return Fail(step_, "the client left before the script was over");
  Play(now);
}

void ScriptPlayer::OnDeadline(TimePoint now) {
  if (done_ || !due_ || *due_ > now) return;
  const ScriptStep& step = script_.steps[step_];
  if (!Is<Wait>(step)) {
    return Fail(step_,
                absl::StrCat("what it waits for did not come within ", step.within.count(), " ms"));
  }
  step_complete_ = true;
  Play(now);
}

std::optional<ScriptPlayer::TimePoint> ScriptPlayer::NextDeadline() const {
  return done_ ? std::nullopt : due_;
}

std::optional<PlayerOutput> ScriptPlayer::PollOutput() {
  if (outputs_.empty()) return std::nullopt;
  PlayerOutput output = std::move(outputs_.front());
  outputs_.pop_front();
  return output;
}

std::optional<std::string> ScriptPlayer::PollViolation() {
  if (violations_.empty()) return std::nullopt;
  std::string violation = std::move(violations_.front());
  violations_.pop_front();
  return violation;
}

void ScriptPlayer::Play(TimePoint now) {
  while (!done_ && step_ < script_.steps.size()) {
    const ScriptStep& step = script_.steps[step_];
    if (!std::exchange(step_started_, true)) Start(step, now);
    if (done_) return;
    if (!IsComplete(step)) {
      if (gone_) Fail(step_, "the client left while the script waited for it");
      return;
    }
    ++step_;
    step_started_ = false;
    step_complete_ = false;
    due_.reset();
  }
  if (!done_) FinishScript();
}

void ScriptPlayer::Start(const ScriptStep& step, TimePoint now) {
  std::visit([&](const auto& what) { Do(what, now); }, step.what);
  const bool limited = !Is<Wait>(step) && !Is<Stall>(step) && step.within.count() > 0;
  if (!done_ && limited && !IsComplete(step)) due_ = connect::After(now, step.within);
}

bool ScriptPlayer::IsComplete(const ScriptStep& step) const {
  if (Is<AskAll>(step)) {
    return execs_.AllAnswered(step_) && queries_.AllAnswered(step_) && blobs_.AllAnswered(step_);
  }
  if (Is<AwaitAll>(step)) {
    return execs_.AllAnswered() && queries_.AllAnswered() && blobs_.AllAnswered();
  }
  if (Is<Wait>(step)) return step_complete_ || gone_;
  if (Is<ExpectMessage>(step)) return step_complete_;
  if (Is<ExpectCancel>(step)) return cancelled_;
  if (Is<ExpectHalfClose>(step)) return half_closed_ || gone_;
  if (Is<ExpectDisconnect>(step) || Is<Stall>(step)) return gone_;
  return true;
}

void ScriptPlayer::FinishScript() {
  done_ = true;
  if (gone_ || finished_) return;
  if (!end_stream_sent_) {
    std::string envelope;
    const bool stopped = cancelled_ && !turn_ended_;
    (void)wire::AppendEnvelope(wire::kEnvelopeEndStream, stopped ? kCancelled : "{}", envelope);
    SendBytes(std::move(envelope));
  }
  StartStream();
  outputs_.emplace_back(FinishBody{});
}

// --- what the steps do

void ScriptPlayer::Do(const Say& say, TimePoint) {
  const pb::AgentServerMessage& message = say.message;
  if (message.interaction_update().has_turn_ended()) turn_ended_ = true;
  if (message.exec_server_control_message().has_abort()) {
    OpenAsk* exec = execs_.Find(message.exec_server_control_message().abort().id());
    if (exec != nullptr) exec->aborted = true;
  }
  SendMessage(message, say.packing);
}

void ScriptPlayer::Do(const SayRequestState& say, TimePoint) {
  pb::ConversationStateStructure state;
  if (!state.ParseFromString(request_->conversation_state())) {
    return Fail(step_, "conversation_state of the request does not parse");
  }
  for (int i = 0; i < say.add_turns; ++i) {
    state.add_turns(agent::Sha256(absl::StrCat("turn ", state.turns_size() + 1)));
  }
  pb::AgentServerMessage message;
  message.set_conversation_checkpoint_update(state.SerializeAsString());
  SendMessage(message, say.packing);
}

void ScriptPlayer::Do(const AskAll& all, TimePoint) {
  for (const Ask& ask : all.asks) {
    OpenAsk open{.ask = &ask, .step = step_, .sent = ask.message};
    if (ask.root_prompt) {
      pb::ConversationStateStructure state;
      const bool parsed = state.ParseFromString(request_->conversation_state());
      const auto& blobs = state.root_prompt_messages_json();
      if (!parsed || *ask.root_prompt >= static_cast<size_t>(blobs.size())) {
        return Fail(step_,
                    absl::StrCat("the request names ", blobs.size(),
                                 " root prompt messages, and not number ", *ask.root_prompt));
      }
      open.sent.mutable_kv_server_message()->mutable_get_blob_args()->set_blob_id(
          blobs[static_cast<int>(*ask.root_prompt)]);
    }
    OpenAsks& asks = AsksOf(ask.kind);
    if (!ask.has_id) SetId(open.sent, ask.kind, asks.NextId());
    SendMessage(open.sent, ask.packing);
    const uint32_t id = IdOf(open.sent, ask.kind);
    asks.Add(id, std::move(open));
  }
}

void ScriptPlayer::Do(const Wait& wait, TimePoint now) {
  if (wait.time.count() == 0) {
    step_complete_ = true;
  } else {
    due_ = connect::After(now, wait.time);
  }
}

void ScriptPlayer::Do(const ExpectRequest& expect, TimePoint) {
  if (auto mismatch = FindMismatch(expect.pattern, MessageToJson(*request_))) {
    Fail(step_, *mismatch);
  }
}

void ScriptPlayer::Do(const ExpectHeaders& expect, TimePoint) {
  if (auto mismatch = FindMismatch(expect.pattern, HeadersJson(request_headers_))) {
    Fail(step_, *mismatch);
  }
}

void ScriptPlayer::Do(const SendBody& body, TimePoint) {
  SendBytes(body.bytes);
  end_stream_sent_ = end_stream_sent_ || body.ends_stream;
}

void ScriptPlayer::Do(const ResponseHeaders& headers, TimePoint) {
  response_headers_ = headers.headers;
  StartStream();
}

void ScriptPlayer::Do(const HttpReply& reply, TimePoint) {
  headers_sent_ = true;
  finished_ = true;
  if (!gone_) outputs_.emplace_back(reply);
}

void ScriptPlayer::Do(const SendConnectionBytes& bytes, TimePoint) {
  if (!gone_) outputs_.emplace_back(bytes);
}

void ScriptPlayer::Do(const Split& split, TimePoint) { max_piece_bytes_ = split.max_bytes; }

void ScriptPlayer::Do(const FinishBody& finish, TimePoint) {
  StartStream();
  finished_ = true;
  if (!gone_) outputs_.emplace_back(finish);
}

void ScriptPlayer::Do(const ResetStream& reset, TimePoint) {
  finished_ = true;
  if (!gone_) outputs_.emplace_back(reset);
}

void ScriptPlayer::Do(const SendGoAway& goaway, TimePoint) {
  if (!gone_) outputs_.emplace_back(goaway);
}

void ScriptPlayer::Do(const Drop& drop, TimePoint) {
  finished_ = true;
  if (!gone_) outputs_.emplace_back(drop);
}

// --- what the client says

void ScriptPlayer::Dispatch(const pb::AgentClientMessage& message) {
  switch (message.message_case()) {
    case pb::AgentClientMessage::kRunRequest:
      return OnRunRequest(message.run_request());
    case pb::AgentClientMessage::kExecClientMessage:
      return OnExecResult(message.exec_client_message());
    case pb::AgentClientMessage::kExecClientControlMessage:
      return OnExecControl(message.exec_client_control_message());
    case pb::AgentClientMessage::kKvClientMessage:
      return OnBlob(message.kv_client_message());
    case pb::AgentClientMessage::kInteractionResponse:
      return OnQueryAnswer(message.interaction_response());
    case pb::AgentClientMessage::kConversationAction:
      if (message.conversation_action().has_cancel_action()) return OnCancel();
      break;
    case pb::AgentClientMessage::kClientHeartbeat:
      return;
    case pb::AgentClientMessage::kPrewarmRequest:
    case pb::AgentClientMessage::MESSAGE_NOT_SET:
      break;
  }
  Fail(step_, "a message that nothing asked for: " + Excerpt(MessageToJson(message)));
}

void ScriptPlayer::OnRunRequest(const pb::AgentRunRequest& request) {
  if (request_) return Fail(step_, "a second run_request in one run");
  request_ = request;
}

void ScriptPlayer::OnExecResult(const pb::ExecClientMessage& message) {
  OpenAsk* exec = execs_.Find(message.id());
  if (exec == nullptr || exec->answered) {
    return Fail(step_, absl::StrCat("a result of exec ", message.id(), ", which ",
                                    exec == nullptr ? "was not asked for" : "is answered already",
                                    ": ", Excerpt(MessageToJson(message))));
  }
  const bool more = exec->thrown || (!exec->results.empty() && !message.has_shell_stream());
  if (more) {
    return Fail(exec->step, "a second result: " + Excerpt(MessageToJson(message)));
  }
  exec->results.push_back(MessageToJson(message));
  exec->kinds.push_back(OneofCase(message, "message"));
}

void ScriptPlayer::OnExecControl(const pb::ExecClientControlMessage& message) {
  const uint32_t id = message.has_throw_()         ? message.throw_().id()
                      : message.has_stream_close() ? message.stream_close().id()
                                                   : message.heartbeat().id();
  const std::string what = OneofCase(message, "message");
  OpenAsk* exec = execs_.Find(id);
  if (exec == nullptr || exec->answered) {
    return Fail(step_, absl::StrCat(what, " of exec ", id, ", which ",
                                    exec == nullptr ? "was not asked for" : "is closed already"));
  }
  if (message.has_throw_()) {
    if (exec->thrown) return Fail(exec->step, "a second throw");
    exec->thrown = MessageToJson(message.throw_());
  } else if (message.has_stream_close()) {
    const bool answered = exec->thrown || !exec->results.empty() || exec->aborted;
    if (!answered) return Fail(exec->step, "stream_close before a result");
    exec->answered = true;
    CheckAnswered(*exec);
  }
}

void ScriptPlayer::OnBlob(const pb::KvClientMessage& message) {
  OpenAsk* blob = blobs_.Find(message.id());
  const std::string kind = OneofCase(message, "message");
  const bool asked =
      blob != nullptr && !blob->answered &&
      kind == (blob->ask->kind == Ask::Kind::kGetBlob ? "get_blob_result" : "set_blob_result");
  if (!asked) {
    return Fail(
        step_, absl::StrCat("kv answer ", message.id(), " (", kind, ") to nothing that was asked"));
  }
  blob->answered = true;
  blob->results.push_back(message.has_get_blob_result() ? MessageToJson(message.get_blob_result())
                                                        : MessageToJson(message.set_blob_result()));
  CheckAnswered(*blob);
}

void ScriptPlayer::OnQueryAnswer(const pb::InteractionResponse& message) {
  OpenAsk* query = queries_.Find(message.id());
  if (query == nullptr || query->answered) {
    return Fail(step_, absl::StrCat("an answer to query ", message.id(), ", which ",
                                    query == nullptr ? "was not asked" : "is answered already",
                                    ": ", Excerpt(MessageToJson(message))));
  }
  query->answered = true;
  query->results.push_back(MessageToJson(message));
  query->kinds.push_back(OneofCase(message, "result"));
  CheckAnswered(*query);
}

void ScriptPlayer::OnCancel() {
  cancelled_ = true;
  if (Expects<ExpectCancel, ExpectDisconnect, Stall>()) return;
  Note(step_, "the client cancelled the run");
  EndWithError("canceled", "Error");
}

void ScriptPlayer::CheckAnswered(const OpenAsk& ask) {
  if (ask.aborted) return;
  if (auto wrong = FindWrongAnswer(ask)) Fail(ask.step, *wrong);
}

OpenAsks& ScriptPlayer::AsksOf(Ask::Kind kind) {
  return kind == Ask::Kind::kExec ? execs_ : kind == Ask::Kind::kQuery ? queries_ : blobs_;
}

template <typename... T>
bool ScriptPlayer::Expects() const {
  return std::any_of(script_.steps.begin() + static_cast<std::ptrdiff_t>(step_),
                     script_.steps.end(),
                     [](const ScriptStep& step) { return (Is<T>(step) || ...); });
}

// --- what is sent

void ScriptPlayer::SendMessage(const pb::AgentServerMessage& message, const Packing& packing) {
  std::string payload = message.SerializeAsString();
  if (packing.gzip) payload = Gzip(payload);
  std::string envelope;
  // It fails above four gigabytes alone.
  (void)wire::AppendEnvelope(packing.flags, payload, envelope);
  SendBytes(std::move(envelope));
}

void ScriptPlayer::SendBytes(std::string bytes) {
  StartStream();
  if (!gone_) outputs_.emplace_back(SendPieces{std::move(bytes), max_piece_bytes_});
}

void ScriptPlayer::StartStream() {
  if (std::exchange(headers_sent_, true) || gone_) return;
  StartResponse start{{{":status", "200"}, {"content-type", "application/connect+proto"}}};
  for (const connect::Header& header : response_headers_) {
    if (header.name == "content-type") start.headers.Remove(header.name);
  }
  for (const connect::Header& header : response_headers_) {
    start.headers.Add(header.name, header.value);
  }
  outputs_.emplace_back(std::move(start));
}

// --- failure

void ScriptPlayer::Fail(size_t step, std::string_view what) {
  if (done_) return;
  Note(step, what);
  // The text may hold what the user said: it stays on this side.
  EndWithError("invalid_argument",
               absl::StrCat("the script failed at ", StepName(step), "; see violations()"));
}

void ScriptPlayer::Note(size_t step, std::string_view what) {
  std::string text = script_.name.empty() ? "" : absl::StrCat("script ", script_.name, ", ");
  absl::StrAppend(&text, StepName(step), ": ", ToAbsl(what));
  if (text.size() > kMaxViolationBytes) text = text.substr(0, kMaxViolationBytes) + "...";
  violations_.push_back(std::move(text));
}

std::string ScriptPlayer::StepName(size_t step) const {
  if (step >= script_.steps.size()) return "the end";
  return absl::StrCat("step ", step + 1, " (", script_.steps[step].name, ")");
}

void ScriptPlayer::EndWithError(std::string_view code, std::string_view message) {
  done_ = true;
  if (gone_ || finished_) return;
  if (!end_stream_sent_) {
    std::string envelope;
    const std::string payload = absl::StrCat(R"({"error":)", ErrorJson(code, message, {}), "}");
    (void)wire::AppendEnvelope(wire::kEnvelopeEndStream, payload, envelope);
    SendBytes(std::move(envelope));
  }
  outputs_.emplace_back(FinishBody{});
}

}  // namespace cursorwire::upstream
