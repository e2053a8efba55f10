#include "terminal_session/turn_view.h"

#include <unistd.h>

#include "output/notices.h"
#include "output/terminal.h"
#include "terminal_session/tool_line.h"

namespace cursor_chat {

TurnView::TurnView(Output& output, const ScreenStyle& style)
    : output_(output), style_(style), answer_(style), spinner_(output, style) {}

void TurnView::OnEvent(const cursorwire::ChatEvent& event) {
  if (const auto* text = event.As<cursorwire::TextDelta>()) {
    OnText(text->text);
  } else if (event.As<cursorwire::ThinkingDelta>() != nullptr) {
    spinner_.Show("thinking");
  } else if (const auto* partial = event.As<cursorwire::ToolCallPartial>()) {
    spinner_.Show("preparing " + ToolText(partial->call));
  } else if (const auto* started = event.As<cursorwire::ToolCallStarted>()) {
    OnToolStarted(started->call);
  } else if (const auto* completed = event.As<cursorwire::ToolCallCompleted>()) {
    OnToolCompleted(completed->call);
  } else if (const auto* usage = event.As<cursorwire::TokenUsage>()) {
    spinner_.AddTokens(usage->tokens);
  } else if (event.As<cursorwire::SummaryStarted>() != nullptr) {
    spinner_.Show("shortening the conversation");
  } else {
    OnRemark(event);
  }
}

void TurnView::OnRemark(const cursorwire::ChatEvent& event) {
  const auto* notice = event.As<cursorwire::ServerNotice>();
  const auto* retrying = event.As<cursorwire::Retrying>();
  const auto* rebuilt = event.As<cursorwire::StateRebuilt>();
  const bool lost = event.As<cursorwire::StateLost>() != nullptr;
  if (notice == nullptr && retrying == nullptr && rebuilt == nullptr && !lost) return;
  EndText();
  if (notice != nullptr) PrintNotice(output_, notice->text);
  if (retrying != nullptr) PrintRetry(output_, *retrying);
  if (rebuilt != nullptr) PrintWarning(output_, rebuilt->message);
  if (lost) PrintWarning(output_, "the service has lost a part of the conversation");
}

void TurnView::OnText(const std::string& text) {
  spinner_.Show("answering");
  Write(answer_.Add(text, SizeOf(STDOUT_FILENO)));
}

void TurnView::OnToolStarted(const cursorwire::ToolCallInfo& call) {
  EndText();
  spinner_.Show(ToolText(call));
  running_[call.call_id] = call;
}

void TurnView::OnToolCompleted(const cursorwire::ToolCallInfo& call) {
  EndText();
  // The end may leave out what the start has told.
  cursorwire::ToolCallInfo shown = call;
  if (const auto started = running_.find(call.call_id); started != running_.end()) {
    if (shown.name.empty()) shown.name = started->second.name;
    if (shown.kind.empty()) shown.kind = started->second.kind;
    if (shown.arguments_json.size() <= 2) shown.arguments_json = started->second.arguments_json;
    running_.erase(started);
  }
  ShowTool(shown);
  spinner_.Show(running_.empty() ? "thinking" : ToolText(running_.begin()->second));
}

void TurnView::Write(const std::string& shown) {
  if (output_.WriteShownAfter(lines_started_, shown)) return;
  // A question, or a line of another thread, stands below what was drawn.
  lines_started_ = output_.lines_started();
  output_.WriteShown(answer_.Again());
}

void TurnView::EndText() {
  Write(answer_.Finish());
  const Terminal::Hold hold = output_.StartLine();  // thread-safe, unlike in_line()
  lines_started_ = output_.lines_started();
}

void TurnView::ShowTool(const cursorwire::ToolCallInfo& call) {
  const std::string lines = ToolLines(call, SizeOf(STDOUT_FILENO).columns, style_);
  output_.WriteShown(output_.redactor().Redact(lines));
}

void TurnView::OnEnd() {
  EndText();
  for (const auto& [id, call] : running_) ShowTool(call);
  running_.clear();
}

}  // namespace cursor_chat
