#include "document_printer.h"

#include <cursorwire/connect/error_info.h>
#include <cursorwire/documents/chat_response.h>

#include <string>
#include <utility>
#include <vector>

#include "notices.h"

namespace cursor_chat {
namespace {

using cursorwire::ChatEvent;
using cursorwire::documents::Builder;
using cursorwire::documents::DocumentEvent;
using cursorwire::documents::EventFormat;

EventFormat EventFormatOf(Format format) {
  return format == Format::kDocumentsSse ? EventFormat::kSse : EventFormat::kNdjson;
}

class DocumentsOfTurn final : public DocumentPrinter {
 public:
  DocumentsOfTurn(Format format, Output& output, PrintedTurn turn)
      : format_(format),
        output_(output),
        turn_(std::move(turn)),
        builder_({.model = turn_.model,
                  .mode = turn_.mode,
                  .keep_documents = format == Format::kDocuments}) {}

  void OnEvent(const ChatEvent& event) override {
    if (event.As<cursorwire::TurnEnded>() != nullptr) SetConversationId();
    Print(builder_.Add(Redacted(event)));
  }
  void OnQuery(const cursorwire::QueryArgs& query) override { Print(builder_.AddQuery(query)); }
  void OnEnd(const absl::Status& status) override {
    SetConversationId();
    const std::string message = status.ok() ? "" : MessageOf(status);
    absl::Status redacted(status.code(), output_.redactor().Redact(message));
    if (const auto info = cursorwire::connect::GetErrorInfo(status)) {
      cursorwire::connect::SetErrorInfo(redacted, *info);
    }
    Print(builder_.Finish(redacted));
    if (format_ == Format::kDocuments) output_.Write(ToJson(builder_.response()) + "\n");
  }
  const absl::Status& status() const override { return builder_.status(); }

 private:
  void SetConversationId() {
    if (turn_.conversation_id) builder_.set_conversation_id(turn_.conversation_id());
  }
  void Print(const std::vector<DocumentEvent>& events) {
    if (format_ == Format::kDocuments) return;
    for (const DocumentEvent& event : events) {
      output_.Write(cursorwire::documents::Format(event, EventFormatOf(format_)));
    }
  }

  // Tools may have seen the token. The model's text is not altered.
  template <typename CallEvent>
  ChatEvent WithRedactedCall(CallEvent event) const {
    event.call.arguments_json = output_.redactor().Redact(event.call.arguments_json);
    event.call.result_json = output_.redactor().Redact(event.call.result_json);
    return event;
  }
  ChatEvent Redacted(const ChatEvent& event) const {
    if (const auto* started = event.As<cursorwire::ToolCallStarted>()) {
      return WithRedactedCall(*started);
    }
    if (const auto* completed = event.As<cursorwire::ToolCallCompleted>()) {
      return WithRedactedCall(*completed);
    }
    if (const auto* delta = event.As<cursorwire::ToolCallDelta>()) {
      cursorwire::ToolCallDelta redacted = *delta;
      redacted.delta_json = output_.redactor().Redact(delta->delta_json);
      return redacted;
    }
    return event;
  }

  const Format format_;
  Output& output_;
  const PrintedTurn turn_;
  Builder builder_;
};

}  // namespace

std::unique_ptr<DocumentPrinter> DocumentPrinter::Create(Format format, Output& output,
                                                         PrintedTurn turn) {
  return std::make_unique<DocumentsOfTurn>(format, output, std::move(turn));
}

}  // namespace cursor_chat
