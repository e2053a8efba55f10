#include "output/document_printer.h"

#include <cursorwire/documents.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/json_line.h"
#include "output/redacted_json.h"

namespace cursor_chat {
namespace {

using cursorwire::ChatEvent;
using cursorwire::documents::Builder;
using cursorwire::documents::ChatResponse;
using cursorwire::documents::CodeBlockMetadata;
using cursorwire::documents::CodeReferenceMetadata;
using cursorwire::documents::ContentDelta;
using cursorwire::documents::DocumentEnd;
using cursorwire::documents::DocumentEvent;
using cursorwire::documents::DocumentMetadata;
using cursorwire::documents::DocumentStart;
using cursorwire::documents::TextMetadata;
using nlohmann::json;

// What the model wrote as text of its answer.
bool IsText(const DocumentMetadata& metadata) {
  return std::holds_alternative<TextMetadata>(metadata) ||
         std::holds_alternative<CodeBlockMetadata>(metadata) ||
         std::holds_alternative<CodeReferenceMetadata>(metadata);
}

class DocumentPrinter final : public Printer {
 public:
  DocumentPrinter(Format format, Output& output, PrintedTurn turn)
      : format_(format),
        output_(output),
        turn_(std::move(turn)),
        builder_({.model = turn_.model,
                  .mode = turn_.mode,
                  .keep_documents = format == Format::kDocuments}) {}

  void OnEvent(const ChatEvent& event) override {
    if (event.As<cursorwire::TurnEnded>() != nullptr) SetConversationId();
    Print(builder_.Add(event));
  }
  void OnEnd(const absl::Status& status) override {
    SetConversationId();
    Print(builder_.Finish(status));
    if (format_ == Format::kDocuments) {
      output_.Write(RedactedResponse(builder_.response()) + "\n");
    }
  }
  absl::Status status() const override { return builder_.status(); }

 private:
  void SetConversationId() {
    if (turn_.conversation_id) builder_.set_conversation_id(turn_.conversation_id());
  }
  void Print(const std::vector<DocumentEvent>& events) {
    if (format_ == Format::kDocuments) return;
    // In one write, since one element of the turn may make many events.
    std::string lines;
    for (const DocumentEvent& event : events) {
      const std::string line = RedactedEvent(event);
      lines += format_ == Format::kDocumentsSse
                   ? cursorwire::documents::ServerSentEvent(EventName(event), line)
                   : line + "\n";
    }
    output_.Write(lines);
  }

  // What a tool has seen may have the token in it, also where the service says it. The model's text
  // is not altered.
  std::string RedactedEvent(const DocumentEvent& event) {
    std::string text = ToJson(event);
    if (const auto* start = std::get_if<DocumentStart>(&event); start && IsText(start->metadata)) {
      open_texts_.insert(start->document_id);
    }
    if (const auto* delta = std::get_if<ContentDelta>(&event)) {
      if (open_texts_.contains(delta->document_id)) return text;
    }
    if (const auto* end = std::get_if<DocumentEnd>(&event)) {
      if (open_texts_.erase(end->document_id) > 0) return text;
    }
    return Redacted(text, [](json&, const json&) {});
  }
  std::string RedactedResponse(const ChatResponse& response) const {
    return Redacted(ToJson(response), [&response](json& redacted, const json& whole) {
      for (size_t i = 0; i < response.documents.size(); ++i) {
        if (!IsText(response.documents[i].metadata)) continue;
        redacted["documents"][i]["content"] = whole["documents"][i]["content"];
      }
    });
  }
  // `restore` puts back what is not to be altered. Where nothing is redacted, the members keep
  // their order.
  template <typename Restore>
  std::string Redacted(const std::string& text, Restore restore) const {
    const json whole = json::parse(text);  // of our own making
    json redacted = whole;
    RedactStrings(output_.redactor(), redacted);
    restore(redacted, whole);
    return redacted == whole ? text : cursor_apps::JsonLine(redacted);
  }

  const Format format_;
  Output& output_;
  const PrintedTurn turn_;
  Builder builder_;
  std::set<std::string> open_texts_;  // ids of documents
};

}  // namespace

std::unique_ptr<Printer> CreateDocumentPrinter(Format format, Output& output, PrintedTurn turn) {
  return std::make_unique<DocumentPrinter>(format, output, std::move(turn));
}

}  // namespace cursor_chat
