#include "acp/turn_updates.h"

#include <utility>

#include "acp/tool_call.h"
#include "common/visible_text.h"

namespace cursor_acp {
namespace {

constexpr char kAnswerChunk[] = "agent_message_chunk";
constexpr char kThoughtChunk[] = "agent_thought_chunk";
constexpr char kToolCall[] = "tool_call";
constexpr char kToolCallUpdate[] = "tool_call_update";

Json Named(const char* kind, Json update) {
  update["sessionUpdate"] = kind;
  return update;
}

}  // namespace

TurnUpdates::TurnUpdates(Editor& editor, OpenCalls& calls, Options options, std::stop_token stop)
    : editor_(editor), calls_(calls), options_(std::move(options)), stop_(std::move(stop)) {}

void TurnUpdates::OnEvent(const cursorwire::ChatEvent& event) {
  const std::lock_guard lock(mutex_);
  if (const auto* text = event.As<cursorwire::TextDelta>()) {
    SendText(kAnswerChunk, text->text);
  } else if (const auto* thought = event.As<cursorwire::ThinkingDelta>()) {
    SendText(kThoughtChunk, thought->text);
  } else if (const auto* notice = event.As<cursorwire::ServerNotice>()) {
    SendNotice("info", notice->text);
  } else if (const auto* rebuilt = event.As<cursorwire::StateRebuilt>()) {
    SendNotice("warning", rebuilt->message);
  } else if (event.As<cursorwire::StateLost>() != nullptr) {
    SendNotice("warning", "the service has lost a part of the conversation");
  } else if (const auto* partial = event.As<cursorwire::ToolCallPartial>()) {
    const cursorwire::ToolCallInfo call = WithId(partial->call, UnnamedCalls::Step::kPartial);
    if (!shown_calls_.contains(call.call_id)) Show(call, "pending");
  } else if (const auto* started = event.As<cursorwire::ToolCallStarted>()) {
    Show(WithId(started->call, UnnamedCalls::Step::kStarted), "in_progress");
    SendPlan(started->call);
  } else if (const auto* completed = event.As<cursorwire::ToolCallCompleted>()) {
    Complete(WithId(completed->call, UnnamedCalls::Step::kCompleted));
    SendPlan(completed->call);
  } else if (const auto* checkpoint = event.As<cursorwire::Checkpoint>()) {
    SendUsage(*checkpoint);
  }
}

cursorwire::ToolCallInfo TurnUpdates::WithId(cursorwire::ToolCallInfo call,
                                             UnnamedCalls::Step step) {
  if (call.call_id.empty()) {
    call.call_id = options_.id_prefix + unnamed_calls_.IdOf(step, call.kind);
  }
  return call;
}

void TurnUpdates::Send(Json update) {
  const std::lock_guard lock(mutex_);
  SendLocked(std::move(update));
}

void TurnUpdates::SendLocked(Json update) {
  if (ended_) return;
  // An editor that is gone, or a turn that was cancelled, ends the turn elsewhere.
  editor_
      .Notify("session/update", {{"sessionId", options_.session_id}, {"update", std::move(update)}},
              stop_)
      .IgnoreError();
}

void TurnUpdates::SendText(const char* kind, std::string_view text) {
  if (text.empty()) return;
  if (message_kind_ != kind) {
    message_kind_ = kind;
    ++messages_;
  }
  const std::string id = options_.id_prefix + std::to_string(messages_);
  while (!text.empty()) {
    std::string piece(text.substr(0, kMaxTextPieceBytes));
    if (piece.size() < text.size()) cursor_apps::CutToWholeCharacters(piece);
    text.remove_prefix(piece.size());
    SendLocked(Named(
        kind, {{"content", {{"type", "text"}, {"text", std::move(piece)}}}, {"messageId", id}}));
  }
}

void TurnUpdates::SendNotice(const char* severity, const std::string& text) {
  if (!options_.notices) return SendText(kThoughtChunk, text);
  SendLocked(Named("notice", {{"severity", severity}, {"title", OneShortLine(text, 1000)}}));
}

void TurnUpdates::Show(const cursorwire::ToolCallInfo& call, const char* status) {
  message_kind_.clear();
  const bool is_new = shown_calls_.insert(call.call_id).second;
  Json members = ToolCallMembers(call, options_.folder);
  members["status"] = status;
  SendLocked(Named(is_new ? kToolCall : kToolCallUpdate, std::move(members)));
  calls_.OnShown(call.call_id);
}

void TurnUpdates::Complete(const cursorwire::ToolCallInfo& call) {
  if (!shown_calls_.contains(call.call_id)) Show(call, "in_progress");
  shown_calls_.erase(call.call_id);
  SendLocked(Named(kToolCallUpdate, ToolCallEnd(call, options_.folder)));
}

void TurnUpdates::SendPlan(const cursorwire::ToolCallInfo& call) {
  Json entries = PlanOf(call);
  if (!entries.is_null()) SendLocked(Named("plan", {{"entries", std::move(entries)}}));
}

void TurnUpdates::SendUsage(const cursorwire::Checkpoint& checkpoint) {
  if (!checkpoint.used_tokens || !checkpoint.max_tokens) return;
  Json usage = {{"used", *checkpoint.used_tokens}, {"size", *checkpoint.max_tokens}};
  if (usage_ == usage) return;
  usage_ = usage;
  SendLocked(Named("usage_update", std::move(usage)));
}

std::string TurnUpdates::ShowOwnCall(Json members) {
  const std::lock_guard lock(mutex_);
  std::string id = options_.id_prefix + "action-" + std::to_string(++own_calls_);
  message_kind_.clear();
  shown_calls_.insert(id);
  members["toolCallId"] = id;
  members["status"] = "pending";
  SendLocked(Named(kToolCall, std::move(members)));
  return id;
}

void TurnUpdates::EndOwnCall(const std::string& id, bool worked, std::string_view text) {
  const std::lock_guard lock(mutex_);
  if (shown_calls_.erase(id) == 0) return;
  Json update = {{"toolCallId", id}, {"status", worked ? "completed" : "failed"}};
  if (!text.empty()) update["content"] = Json::array({TextItem(text)});
  SendLocked(Named(kToolCallUpdate, std::move(update)));
}

void TurnUpdates::End() {
  const std::lock_guard lock(mutex_);
  for (const std::string& id : std::exchange(shown_calls_, {})) {
    SendLocked(Named(kToolCallUpdate, {{"toolCallId", id}, {"status", "failed"}}));
  }
  ended_ = true;
}

}  // namespace cursor_acp
