#include "agent/events/update_events.h"

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "agent/events/tool_call_text.h"

namespace cursorwire::agent {
namespace {

namespace pb = ::agent::v1;

using std::chrono::milliseconds;

Usage ToUsage(const pb::TurnEndedUpdate& update) {
  Usage usage;
  if (update.has_input_tokens()) usage.input_tokens = update.input_tokens();
  if (update.has_output_tokens()) usage.output_tokens = update.output_tokens();
  if (update.has_cache_read_tokens()) usage.cache_read_tokens = update.cache_read_tokens();
  if (update.has_cache_write_tokens()) usage.cache_write_tokens = update.cache_write_tokens();
  if (update.has_reasoning_tokens()) usage.reasoning_tokens = update.reasoning_tokens();
  return usage;
}

// Limit of the runs of text and thinking that one message becomes.
constexpr size_t kMaxPieces = 64;

// The three updates of a tool call have the same fields.
template <typename Update>
ToolCallInfo ToInfo(Update& update) {
  return ToToolCallInfo(std::move(*update.mutable_call_id()),
                        std::move(*update.mutable_model_call_id()), update.tool_call());
}

}  // namespace

UpdateEvents::UpdateEvents(ThinkTags think_tags, Emit emit)
    : think_tags_(think_tags), emit_(std::move(emit)) {}

void UpdateEvents::Add(pb::InteractionUpdate& update) {
  switch (update.message_case()) {
    case pb::InteractionUpdate::kTextDelta:
      return AddTextDelta(*update.mutable_text_delta());
    case pb::InteractionUpdate::kTokenDelta:
      return emit_(TokenUsage{update.token_delta().tokens()});
    case pb::InteractionUpdate::kThinkingDelta:
      return EmitInOrder(
          ThinkingDelta{std::move(*update.mutable_thinking_delta()->mutable_text())});
    case pb::InteractionUpdate::kPartialToolCall:
    case pb::InteractionUpdate::kToolCallStarted:
    case pb::InteractionUpdate::kToolCallDelta:
    case pb::InteractionUpdate::kToolCallCompleted:
      return AddToolCall(update);
    case pb::InteractionUpdate::kShellOutputDelta:
      return AddShellOutput(*update.mutable_shell_output_delta());
    case pb::InteractionUpdate::kTurnEnded:
      return EndTurn(update.turn_ended());
    default:
      return AddProgress(update);
  }
}

void UpdateEvents::Add(const CommonUpdate& update) {
  switch (update.kind) {
    case CommonUpdate::Kind::kText:
      return AddText(std::string(update.text));
    case CommonUpdate::Kind::kThinking:
      return EmitInOrder(ThinkingDelta{std::string(update.text)});
    case CommonUpdate::Kind::kTokens:
      return emit_(TokenUsage{update.tokens});
    case CommonUpdate::Kind::kHeartbeat:
      return;
  }
}

void UpdateEvents::Flush() {
  if (!filter_.holds_text()) return;
  std::vector<Run> runs;
  filter_.Flush([&runs](const ThinkTagFilter::Piece& piece) { AddPiece(piece, runs); });
  EmitRuns(std::move(runs));
}

void UpdateEvents::EndTurn(const pb::TurnEndedUpdate& update) {
  std::vector<Run> runs;
  filter_.End([&runs](const ThinkTagFilter::Piece& piece) { AddPiece(piece, runs); });
  EmitRuns(std::move(runs));
  emit_(TurnEnded{ToUsage(update)});
}

void UpdateEvents::StartMessage(ChatEvent event) {
  EmitInOrder(std::move(event));
  filter_.StartMessage();
}

void UpdateEvents::AddTextDelta(pb::TextDeltaUpdate& delta) {
  std::string& text = *delta.mutable_text();
  if (delta.is_server_notice()) return EmitInOrder(ServerNotice{std::move(text)});
  AddText(std::move(text));
}

void UpdateEvents::AddText(std::string text) {
  if (passes_text()) {
    return emit_(TextDelta{std::move(text)});
  }
  std::vector<Run> runs;
  std::optional<bool> all_thinking;  // set if the text is all of one kind: it is then passed on
                                     // without a copy
  filter_.Add(text, [&](const ThinkTagFilter::Piece& piece) {
    if (piece.text.data() == text.data() && piece.text.size() == text.size()) {
      all_thinking = piece.thinking;
    } else {
      AddPiece(piece, runs);
    }
  });
  if (!all_thinking) return EmitRuns(std::move(runs));
  if (*all_thinking) return emit_(ThinkingDelta{std::move(text)});
  emit_(TextDelta{std::move(text)});
}

void UpdateEvents::AddToolCall(pb::InteractionUpdate& update) {
  if (update.has_partial_tool_call()) {
    pb::PartialToolCallUpdate& partial = *update.mutable_partial_tool_call();
    ToolCallInfo info = ToInfo(partial);
    return EmitInOrder(
        ToolCallPartial{std::move(info), std::move(*partial.mutable_args_text_delta())});
  }
  if (update.has_tool_call_started()) {
    return StartMessage(ToolCallStarted{ToInfo(*update.mutable_tool_call_started())});
  }
  if (update.has_tool_call_completed()) {
    return StartMessage(ToolCallCompleted{ToInfo(*update.mutable_tool_call_completed())});
  }
  pb::ToolCallDeltaUpdate& delta = *update.mutable_tool_call_delta();
  EmitInOrder(ToolCallDelta{std::move(*delta.mutable_call_id()),
                            std::move(*delta.mutable_model_call_id()), ToolCallDeltaJson(delta)});
}

void UpdateEvents::AddShellOutput(pb::ShellOutputDeltaUpdate& delta) {
  switch (delta.event_case()) {
    case pb::ShellOutputDeltaUpdate::kStdout:
      return EmitInOrder(
          ShellOutputDelta{.out = std::move(*delta.mutable_stdout()->mutable_data())});
    case pb::ShellOutputDeltaUpdate::kStderr:
      return EmitInOrder(
          ShellOutputDelta{.err = std::move(*delta.mutable_stderr()->mutable_data())});
    case pb::ShellOutputDeltaUpdate::kExit:
      return EmitInOrder(ShellOutputDelta{.exit_code = static_cast<int32_t>(delta.exit().code())});
    case pb::ShellOutputDeltaUpdate::kStart:
    case pb::ShellOutputDeltaUpdate::EVENT_NOT_SET:
      return;
  }
}

void UpdateEvents::AddProgress(pb::InteractionUpdate& update) {
  switch (update.message_case()) {
    case pb::InteractionUpdate::kThinkingCompleted:
      return EmitInOrder(
          ThinkingCompleted{milliseconds(update.thinking_completed().thinking_duration_ms())});
    case pb::InteractionUpdate::kSummaryStarted:
      return EmitInOrder(SummaryStarted{});
    case pb::InteractionUpdate::kSummary:
      return EmitInOrder(
          ConversationSummary{std::move(*update.mutable_summary()->mutable_summary())});
    case pb::InteractionUpdate::kSummaryCompleted:
      return EmitInOrder(SummaryCompleted{update.summary_completed().failed()});
    case pb::InteractionUpdate::kStepStarted:
      return StartMessage(StepStarted{update.step_started().step_id()});
    case pb::InteractionUpdate::kStepCompleted:
      return EmitInOrder(StepCompleted{update.step_completed().step_id(),
                                       milliseconds(update.step_completed().step_duration_ms())});
    case pb::InteractionUpdate::kRoutedModel:
      return EmitInOrder(
          ModelRouted{std::move(*update.mutable_routed_model()->mutable_display_name())});
    default:
      // Heartbeats, echoes, hints for an editor, and kinds of a newer schema.
      return;
  }
}

void UpdateEvents::EmitInOrder(ChatEvent event) {
  Flush();
  emit_(std::move(event));
}

void UpdateEvents::AddPiece(const ThinkTagFilter::Piece& piece, std::vector<Run>& runs) {
  if (!runs.empty() && runs.back().thinking == piece.thinking) {
    runs.back().text += piece.text;
  } else if (runs.size() < kMaxPieces) {
    runs.push_back({piece.thinking, std::string(piece.text)});
  } else {
    // Many short tags must not become many events: the rest goes to the last run of its kind.
    runs[runs.size() - 2].text += piece.text;
  }
}

void UpdateEvents::EmitRuns(std::vector<Run> runs) {
  for (Run& run : runs) {
    if (run.thinking) {
      emit_(ThinkingDelta{std::move(run.text)});
    } else {
      emit_(TextDelta{std::move(run.text)});
    }
  }
}

}  // namespace cursorwire::agent
