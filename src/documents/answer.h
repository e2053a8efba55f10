#ifndef CURSORWIRE_SRC_DOCUMENTS_ANSWER_H_
#define CURSORWIRE_SRC_DOCUMENTS_ANSWER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/documents/builder.h"
#include "cursorwire/documents/document_event.h"

namespace cursorwire::documents {

// The documents of an answer: gives them their ids, says what happens to them, keeps them if that
// is asked for, and counts what is held.
class Answer {
 public:
  explicit Answer(bool keeps_documents) : keeps_documents_(keeps_documents) {}

  // A document that is open.
  struct Open {
    std::string id{};
    int32_t sequence = 0;
    std::optional<std::string> content{};
    size_t bytes = 0;  // that are held for it
  };

  Open Start(const DocumentMetadata& metadata);
  // What comes one after another until TakeEvents() is one event.
  void AddContent(Open& open, std::string delta);
  void AddToolStart(Open& open, const std::string& name, const std::string& call_id);
  void AddArguments(Open& open, std::string arguments_json);
  void AddResult(Open& open, ToolOutcome result);
  // For what is kept beside the events.
  void Count(Open& open, size_t bytes);
  // `metadata`: what the start of the document did not have; else nullopt.
  void End(Open& open, std::optional<DocumentMetadata> metadata);
  void Finish(const ResponseHead& head);

  std::vector<DocumentEvent> TakeEvents();
  // With about what the events take that wait for TakeEvents().
  size_t held_bytes() const { return held_bytes_ + events_.size() * sizeof(DocumentEvent); }
  const std::vector<Document>& documents() const { return kept_.response().documents; }

 private:
  void Emit(DocumentEvent event);

  const bool keeps_documents_;
  int32_t count_ = 0;
  size_t held_bytes_ = 0;
  std::vector<DocumentEvent> events_;
  ChatResponseBuilder kept_;
};

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_SRC_DOCUMENTS_ANSWER_H_
