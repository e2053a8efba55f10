#include "upstream/script/script_player.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "agent/v1/conversation.pb.h"
#include "base/sha256.h"
#include "base/strings.h"
#include "upstream/script/server_error.h"

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

}  // namespace

// --- playing the script

void ScriptPlayer::On(const pb::AgentClientMessage& message, TimePoint now) {
  if (done_) return;  // sent before the client knew of the end
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
  const bool expected =
      cancelled_ || response_.ended() || Expects<ExpectHalfClose, ExpectDisconnect, Stall>();
  if (!expected) return Fail(step_, "the request ended before the run, without a cancel");
  Play(now);
}

void ScriptPlayer::OnGone(TimePoint now) {
  if (done_) return;
  response_.OnGone();
  const bool expected = cancelled_ || response_.ended() || Expects<ExpectDisconnect, Stall>();
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
      if (response_.gone()) Fail(step_, "the client left while the script waited for it");
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
  if (Is<AskAll>(step)) return asks_.AllAnswered(step_);
  if (Is<AwaitAll>(step)) return asks_.AllAnswered();
  if (Is<Wait>(step)) return step_complete_ || response_.gone();
  if (Is<ExpectMessage>(step)) return step_complete_;
  if (Is<ExpectCancel>(step)) return cancelled_;
  if (Is<ExpectHalfClose>(step)) return half_closed_ || response_.gone();
  if (Is<ExpectDisconnect>(step) || Is<Stall>(step)) return response_.gone();
  return true;
}

void ScriptPlayer::FinishScript() {
  done_ = true;
  const bool stopped = cancelled_ && !turn_ended_;
  response_.End(stopped ? kCancelled : "{}");
}

// --- the steps

void ScriptPlayer::Do(const Say& say, TimePoint) {
  const pb::AgentServerMessage& message = say.message;
  if (message.interaction_update().has_turn_ended()) turn_ended_ = true;
  if (message.exec_server_control_message().has_abort()) {
    asks_.Abort(message.exec_server_control_message().abort().id());
  }
  response_.SendMessage(message, say.packing);
}

void ScriptPlayer::Do(const SayRequestState& say, TimePoint) {
  pb::ConversationStateStructure state;
  if (!state.ParseFromString(request_->conversation_state())) {
    return Fail(step_, "conversation_state of the request does not parse");
  }
  for (int i = 0; i < say.add_turns; ++i) {
    state.add_turns(Sha256(absl::StrCat("turn ", state.turns_size() + 1)));
  }
  pb::AgentServerMessage message;
  message.set_conversation_checkpoint_update(state.SerializeAsString());
  response_.SendMessage(message, say.packing);
}

void ScriptPlayer::Do(const AskAll& all, TimePoint) {
  for (const Ask& ask : all.asks) {
    pb::AgentServerMessage message = ask.message;
    if (ask.root_prompt) {
      pb::ConversationStateStructure state;
      const bool parsed = state.ParseFromString(request_->conversation_state());
      const auto& blobs = state.root_prompt_messages_json();
      if (!parsed || *ask.root_prompt >= static_cast<size_t>(blobs.size())) {
        return Fail(step_,
                    absl::StrCat("the request names ", blobs.size(),
                                 " root prompt messages, and not number ", *ask.root_prompt));
      }
      message.mutable_kv_server_message()->mutable_get_blob_args()->set_blob_id(
          blobs[static_cast<int>(*ask.root_prompt)]);
    }
    response_.SendMessage(asks_.Add(ask, step_, std::move(message)), ask.packing);
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

// --- messages of the client

void ScriptPlayer::Dispatch(const pb::AgentClientMessage& message) {
  switch (message.message_case()) {
    case pb::AgentClientMessage::kRunRequest:
      return OnRunRequest(message.run_request());
    case pb::AgentClientMessage::kExecClientMessage:
      return Judge(asks_.On(message.exec_client_message()));
    case pb::AgentClientMessage::kExecClientControlMessage:
      return Judge(asks_.On(message.exec_client_control_message()));
    case pb::AgentClientMessage::kKvClientMessage:
      return Judge(asks_.On(message.kv_client_message()));
    case pb::AgentClientMessage::kInteractionResponse:
      return Judge(asks_.On(message.interaction_response()));
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

void ScriptPlayer::OnCancel() {
  cancelled_ = true;
  if (Expects<ExpectCancel, ExpectDisconnect, Stall>()) return;
  Note(step_, "the client cancelled the run");
  EndWithError("canceled", "Error");
}

void ScriptPlayer::Judge(const std::optional<WrongAnswer>& wrong) {
  if (wrong) Fail(wrong->step.value_or(step_), wrong->what);
}

template <typename... T>
bool ScriptPlayer::Expects() const {
  return std::any_of(script_.steps.begin() + static_cast<std::ptrdiff_t>(step_),
                     script_.steps.end(),
                     [](const ScriptStep& step) { return (Is<T>(step) || ...); });
}

// --- failures

void ScriptPlayer::Fail(size_t step, std::string_view what) {
  if (done_) return;
  Note(step, what);
  // The text may quote the user, so it is not sent to the client.
  EndWithError("invalid_argument",
               absl::StrCat("the script failed at ", StepName(step), "; see violations()"));
}

void ScriptPlayer::Note(size_t step, std::string_view what) {
  std::string text = script_.name.empty() ? "" : absl::StrCat("script ", script_.name, ", ");
  absl::StrAppend(&text, StepName(step), ": ", ToAbsl(what));
  if (text.size() > kMaxViolationBytes) {
    text.resize(Utf8Prefix(text, kMaxViolationBytes).size());
    text += "...";
  }
  violations_.push_back(std::move(text));
}

std::string ScriptPlayer::StepName(size_t step) const {
  if (step >= script_.steps.size()) return "the end";
  return absl::StrCat("step ", step + 1, " (", script_.steps[step].name, ")");
}

void ScriptPlayer::EndWithError(std::string_view code, std::string_view message) {
  done_ = true;
  response_.End(absl::StrCat(R"({"error":)", ErrorJson(code, message, {}), "}"));
}

}  // namespace cursorwire::upstream
