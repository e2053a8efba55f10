#include "documents/document_answer.h"

#include <cursorwire/documents/event_format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <variant>

#include "api/api_error.h"
#include "api/concat.h"
#include "api/json_field.h"
#include "api/json_text.h"
#include "error_answer.h"

namespace cursor_gateway {

namespace {

namespace documents = cursorwire::documents;

// An event as a typed data line: the architecture that the endpoint follows names it by `type`,
// and has the document within the event that starts it.
std::string TypedData(const documents::DocumentEvent& event) {
  nlohmann::json value = nlohmann::json::parse(documents::ToJson(event), nullptr, false);
  value.erase("event");
  nlohmann::json typed = {{"type", documents::EventName(event)}};
  if (std::holds_alternative<documents::DocumentStart>(event)) {
    typed["document"] = std::move(value);
  } else {
    typed.update(value);
  }
  std::string lines = documents::ServerSentEvent("", CompactJson(typed));
  if (std::holds_alternative<documents::Done>(event)) {
    lines += documents::ServerSentEvent("", "[DONE]");
  }
  return lines;
}

std::string Written(const documents::DocumentEvent& event, documents::EventFormat format) {
  return format == documents::EventFormat::kSse ? documents::Format(event, format)
                                                : TypedData(event);
}

// The agent may name a file relative to the workspace; a question has the whole path.
bool IsSameFile(std::string_view whole, std::string_view named) {
  if (named.starts_with("./")) named.remove_prefix(2);
  return whole == named || (!named.starts_with('/') && whole.ends_with(Concat("/", named)));
}

}  // namespace

void ShownActions::Add(const documents::DocumentEvent& event) {
  if (const auto* start = std::get_if<documents::DocumentStart>(&event)) {
    const bool is_command =
        std::holds_alternative<documents::TerminalCommandMetadata>(start->metadata);
    const bool is_look = std::holds_alternative<documents::ToolCallMetadata>(start->metadata);
    if (is_command || is_look ||
        std::holds_alternative<documents::FileEditMetadata>(start->metadata)) {
      if (actions_.size() == kMaxShownActions) actions_.erase(actions_.begin());
      actions_.push_back(
          {.document_id = start->document_id, .is_command = is_command, .is_look = is_look});
    }
  } else if (const auto* arguments = std::get_if<documents::ToolCallArguments>(&event)) {
    for (Action& action : actions_) {
      if (action.document_id != arguments->document_id) continue;
      const nlohmann::json values =
          nlohmann::json::parse(arguments->arguments_json, nullptr, false);
      action.subject = TextOf(values, action.is_command ? "command" : "path");
    }
  } else if (const auto* end = std::get_if<documents::DocumentEnd>(&event)) {
    std::erase_if(actions_,
                  [end](const Action& action) { return action.document_id == end->document_id; });
  }
}

std::string ShownActions::Take(const ApprovalQuestion& question) {
  const nlohmann::json arguments = nlohmann::json::parse(question.arguments_json, nullptr, false);
  const std::string_view command = TextOf(arguments, "command");
  const std::string_view path = TextOf(arguments, "path");
  const auto found = std::find_if(actions_.begin(), actions_.end(), [&](const Action& action) {
    if (action.subject.empty() || action.is_look != question.is_look) return false;
    return action.is_command ? action.subject == command : IsSameFile(path, action.subject);
  });
  if (found == actions_.end()) return "";
  std::string id = std::move(found->document_id);
  actions_.erase(found);
  return id;
}

DocumentAnswer::DocumentAnswer(EventLoop& loop, std::shared_ptr<HttpExchange> exchange,
                               const DocumentRequest& request)
    : EventStream(loop, std::move(exchange), request.stream ? Kind::kEvents : Kind::kWhole),
      streams_(request.stream),
      thinking_(request.stream && request.thinking),
      format_(request.format),
      builder_({.model = request.model, .mode = request.mode, .keep_documents = !request.stream}) {}

void DocumentAnswer::Add(const cursorwire::ChatEvent& event) {
  const auto* thought = event.As<cursorwire::ThinkingDelta>();
  if (thought != nullptr && thinking_ && !thought->text.empty()) {
    WriteOwn("thinking_delta", {{"delta", thought->text}});
  }
  if (const auto* ended = event.As<cursorwire::TurnEnded>()) Note(ended->usage);
  Show(builder_.Add(event));
}

void DocumentAnswer::AddApproval(const ApprovalQuestion& question) {
  if (!streams_) return;
  nlohmann::json members = {{"id", question.id}, {"toolName", question.tool_name}};
  members["arguments"] = nlohmann::json::parse(question.arguments_json, nullptr, false);
  if (std::string id = actions_.Take(question); !id.empty()) members["documentId"] = std::move(id);
  WriteOwn("approval_required", std::move(members));
}

void DocumentAnswer::WriteOwn(const char* name, nlohmann::json members) {
  if (ended()) return;
  const bool named = format_ == documents::EventFormat::kSse;
  members[named ? "event" : "type"] = name;
  Write(documents::ServerSentEvent(named ? name : "", CompactJson(members)));
}

void DocumentAnswer::Finish(const absl::Status& status) {
  if (ended()) return;
  if (!status.ok() && !shown_ && !started()) {
    Answer(ErrorAnswer(ApiErrorOf(status)));
    return;
  }
  Show(builder_.Finish(status, OwnCodeOf(status)));
}

void DocumentAnswer::AnswerWhole(const documents::ChatResponse& response) {
  HttpAnswer answer = JsonAnswer(documents::ToJson(response));
  answer.failed = response.head.status == documents::ResponseStatus::kError;
  Answer(std::move(answer));
}

void DocumentAnswer::Show(const std::vector<documents::DocumentEvent>& events) {
  if (events.empty()) return;
  shown_ = true;
  const bool is_last = std::holds_alternative<documents::Done>(events.back());
  if (!streams_) {
    if (is_last) AnswerWhole(builder_.response());
    return;
  }
  std::string written;
  for (const documents::DocumentEvent& event : events) {
    actions_.Add(event);
    written += Written(event, format_);
  }
  Write(written);
  if (is_last) End();
}

}  // namespace cursor_gateway
