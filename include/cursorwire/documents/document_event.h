// Room: src/documents
#ifndef CURSORWIRE_DOCUMENTS_DOCUMENT_EVENT_H_
#define CURSORWIRE_DOCUMENTS_DOCUMENT_EVENT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cursorwire/documents/document.h"
#include "cursorwire/documents/response.h"
#include "cursorwire/export.h"

namespace cursorwire::documents {

// What happens to the documents of an answer while it streams: values. Several documents may be
// open at a time, since tools run beside each other and beside text.

// Its type is that of `metadata`, which has what is known so far.
struct DocumentStart {
  std::string document_id{};
  int32_t sequence = 0;
  DocumentMetadata metadata{};

  friend bool operator==(const DocumentStart&, const DocumentStart&) = default;
};
// The next piece of the content: whole characters, never taken back. One for all that one element
// of the turn adds to a document in a row.
struct ContentDelta {
  std::string document_id{};
  std::string delta{};

  friend bool operator==(const ContentDelta&, const ContentDelta&) = default;
};
// After the start of each document that a tool makes.
struct ToolCallStart {
  std::string document_id{};
  std::string tool_name{};
  std::string tool_call_id{};

  friend bool operator==(const ToolCallStart&, const ToolCallStart&) = default;
};
// The arguments are complete.
struct ToolCallArguments {
  std::string document_id{};
  std::string arguments_json = "{}";  // an object

  friend bool operator==(const ToolCallArguments&, const ToolCallArguments&) = default;
};
struct ToolResult {
  std::string document_id{};
  ToolOutcome result{};

  friend bool operator==(const ToolResult&, const ToolResult&) = default;
};
struct DocumentEnd {
  std::string document_id{};
  std::optional<std::string> final_content{};  // all of the content, if the document has one
  std::optional<DocumentMetadata> metadata{};  // complete, unless DocumentStart had all of it

  friend bool operator==(const DocumentEnd&, const DocumentEnd&) = default;
};
// The last event, always: also after an error or a cancellation.
struct Done {
  ResponseHead head{};

  friend bool operator==(const Done&, const Done&) = default;
};

using DocumentEvent = std::variant<DocumentStart, ContentDelta, ToolCallStart, ToolCallArguments,
                                   ToolResult, DocumentEnd, Done>;

// The name of the event, as it stands in JSON and in `event:` lines: "document_start",
// "content_delta", "tool_call_start", "tool_call_arguments", "tool_result", "document_end", "done".
// The view is of a constant.
CURSORWIRE_EXPORT std::string_view EventName(const DocumentEvent& event);

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_DOCUMENTS_DOCUMENT_EVENT_H_
