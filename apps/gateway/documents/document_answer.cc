#include "documents/document_answer.h"

#include <cursorwire/documents/json.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "error_answer.h"
#include "openai/api_error.h"
#include "openai/json_text.h"

namespace cursor_gateway {

using cursorwire::documents::DocumentEvent;
using cursorwire::documents::Done;
using cursorwire::documents::EventFormat;

namespace {

// An event as a typed data line: the architecture that the endpoint follows names it by `type`,
// and has the document within the event that starts it.
std::string TypedData(const DocumentEvent& event) {
  nlohmann::json value =
      nlohmann::json::parse(cursorwire::documents::ToJson(event), nullptr, false);
  value.erase("event");
  nlohmann::json typed = {{"type", cursorwire::documents::EventName(event)}};
  if (std::holds_alternative<cursorwire::documents::DocumentStart>(event)) {
    typed["document"] = std::move(value);
  } else {
    typed.update(value);
  }
  std::string lines = cursorwire::documents::ServerSentEvent("", CompactJson(typed));
  if (std::holds_alternative<Done>(event)) lines += "data: [DONE]\n\n";
  return lines;
}

std::string Written(const DocumentEvent& event, EventFormat format) {
  return format == EventFormat::kSse ? cursorwire::documents::Format(event, format)
                                     : TypedData(event);
}

}  // namespace

DocumentAnswer::DocumentAnswer(EventLoop& loop, std::shared_ptr<HttpExchange> exchange,
                               const DocumentRequest& request)
    : streams_(request.stream),
      format_(request.format),
      builder_({.model = request.model, .mode = request.mode, .keep_documents = !request.stream}),
      stream_(loop, std::move(exchange),
              request.stream ? EventStream::Kind::kEvents : EventStream::Kind::kWhole) {}

void DocumentAnswer::Add(const cursorwire::ChatEvent& event) { Show(builder_.Add(event)); }

void DocumentAnswer::AddQuery(const cursorwire::QueryArgs& query) {
  Show(builder_.AddQuery(query));
}

void DocumentAnswer::AddApproval(const ApprovalQuestion& question) {
  if (!streams_ || ended()) return;
  const bool named = format_ == EventFormat::kSse;
  const char* kind = named ? "event" : "type";
  nlohmann::json value = {
      {kind, "approval_required"}, {"id", question.id}, {"toolName", question.tool_name}};
  value["arguments"] = nlohmann::json::parse(question.arguments_json, nullptr, false);
  stream_.Write(
      cursorwire::documents::ServerSentEvent(named ? "approval_required" : "", CompactJson(value)));
}

void DocumentAnswer::Finish(const absl::Status& status) {
  if (ended()) return;
  if (!status.ok() && !shown_ && !stream_.started()) {
    stream_.Answer(ErrorAnswer(ApiErrorOf(status)));
    return;
  }
  Show(builder_.Finish(status));
}

void DocumentAnswer::Show(const std::vector<DocumentEvent>& events) {
  for (const DocumentEvent& event : events) {
    shown_ = true;
    if (streams_) stream_.Write(Written(event, format_));
    if (!std::holds_alternative<Done>(event)) continue;
    if (streams_) {
      stream_.End();
    } else {
      stream_.Answer(JsonAnswer(cursorwire::documents::ToJson(builder_.response())));
    }
  }
}

}  // namespace cursor_gateway
