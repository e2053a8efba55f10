#include "cursorwire/documents/builder.h"

#include <absl/strings/str_cat.h>

#include <string_view>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::documents {
namespace {

absl::Status OutOfOrder(std::string_view what) {
  return LocalError(absl::StatusCode::kInvalidArgument,
                    absl::StrCat("document events out of order: ", ToAbsl(what)));
}

// Documents of other types may have none.
bool AlwaysHasContent(const DocumentMetadata& metadata) {
  const auto* edit = std::get_if<FileEditMetadata>(&metadata);
  return std::holds_alternative<TextMetadata>(metadata) ||
         std::holds_alternative<CodeReferenceMetadata>(metadata) ||
         std::holds_alternative<CodeBlockMetadata>(metadata) ||
         std::holds_alternative<ErrorMetadata>(metadata) ||
         (edit != nullptr && edit->operation == FileOperation::kCreate);
}

// Of all events but DocumentStart and Done.
const std::string& DocumentIdOf(const DocumentEvent& event) {
  static const std::string& none = *new std::string;
  return std::visit(
      [](const auto& what) -> const std::string& {
        if constexpr (requires { what.document_id; }) return what.document_id;
        return none;
      },
      event);
}

}  // namespace

absl::Status ChatResponseBuilder::Apply(const DocumentEvent& event) {
  if (response_.head.status != ResponseStatus::kStreaming) return OutOfOrder("one after done");
  if (const auto* done = std::get_if<Done>(&event)) {
    response_.head = done->head;
    return absl::OkStatus();
  }
  if (const auto* start = std::get_if<DocumentStart>(&event)) return Start(*start);
  if (const auto* end = std::get_if<DocumentEnd>(&event)) return End(*end);
  Document* document = FindOpen(DocumentIdOf(event));
  if (document == nullptr) return OutOfOrder("of a document that is not open");
  if (const auto* content = std::get_if<ContentDelta>(&event)) {
    if (!document->content) document->content.emplace();
    *document->content += content->delta;
  }
  return absl::OkStatus();
}

absl::Status ChatResponseBuilder::Start(const DocumentStart& start) {
  const size_t place = response_.documents.size();
  if (start.sequence != static_cast<int32_t>(place) + 1) return OutOfOrder("a wrong sequence");
  if (!open_.try_emplace(start.document_id, place).second) return OutOfOrder("an id that is open");
  Document document{
      .id = start.document_id, .sequence = start.sequence, .metadata = start.metadata};
  if (AlwaysHasContent(start.metadata)) document.content.emplace();
  response_.documents.push_back(std::move(document));
  return absl::OkStatus();
}

absl::Status ChatResponseBuilder::End(const DocumentEnd& end) {
  Document* document = FindOpen(end.document_id);
  if (document == nullptr) return OutOfOrder("the end of a document that is not open");
  document->content = end.final_content;
  if (end.metadata) document->metadata = *end.metadata;
  open_.erase(end.document_id);
  return absl::OkStatus();
}

Document* ChatResponseBuilder::FindOpen(const std::string& document_id) {
  const auto found = open_.find(document_id);
  return found == open_.end() ? nullptr : &response_.documents[found->second];
}

}  // namespace cursorwire::documents
