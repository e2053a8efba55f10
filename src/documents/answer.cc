#include "documents/answer.h"

#include <utility>
#include <variant>

namespace cursorwire::documents {
namespace {

constexpr size_t kDocumentBytes = 256;  // of one without content, about

std::string DocumentId(int32_t sequence) {
  std::string digits = std::to_string(sequence);
  if (digits.size() < 3) digits.insert(0, 3 - digits.size(), '0');
  return "doc_" + digits;
}

}  // namespace

Answer::Open Answer::Start(const DocumentMetadata& metadata) {
  ++count_;
  Open open{.id = DocumentId(count_), .sequence = count_};
  Count(open, kDocumentBytes);
  Emit(DocumentStart{open.id, open.sequence, metadata});
  return open;
}

void Answer::AddContent(Open& open, std::string delta) {
  if (!open.content) open.content.emplace();
  if (delta.empty()) return;
  *open.content += delta;
  Count(open, delta.size());
  auto* last = events_.empty() ? nullptr : std::get_if<ContentDelta>(&events_.back());
  if (last == nullptr || last->document_id != open.id) {
    return Emit(ContentDelta{open.id, std::move(delta)});
  }
  last->delta += delta;
  if (keeps_documents_) (void)kept_.Apply(ContentDelta{open.id, std::move(delta)});
}

void Answer::AddToolStart(Open& open, const std::string& name, const std::string& call_id) {
  Count(open, name.size() + call_id.size());
  Emit(ToolCallStart{open.id, name, call_id});
}

void Answer::AddArguments(Open& open, std::string arguments_json) {
  Count(open, arguments_json.size());
  Emit(ToolCallArguments{open.id, std::move(arguments_json)});
}

void Answer::AddResult(Open& open, ToolOutcome result) {
  Count(open, result.data_json.size());
  Emit(ToolResult{open.id, std::move(result)});
}

void Answer::Count(Open& open, size_t bytes) {
  open.bytes += bytes;
  held_bytes_ += bytes;
}

void Answer::End(Open& open, std::optional<DocumentMetadata> metadata) {
  if (!keeps_documents_) held_bytes_ -= open.bytes;
  Emit(DocumentEnd{open.id, std::move(open.content), std::move(metadata)});
}

void Answer::Finish(const ResponseHead& head) { Emit(Done{head}); }

std::vector<DocumentEvent> Answer::TakeEvents() { return std::exchange(events_, {}); }

void Answer::Emit(DocumentEvent event) {
  // Its own events are in order, so that they apply.
  if (keeps_documents_) (void)kept_.Apply(event);
  events_.push_back(std::move(event));
}

}  // namespace cursorwire::documents
