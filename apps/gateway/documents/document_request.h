#ifndef CURSORWIRE_APPS_GATEWAY_DOCUMENTS_DOCUMENT_REQUEST_H_
#define CURSORWIRE_APPS_GATEWAY_DOCUMENTS_DOCUMENT_REQUEST_H_

#include <absl/status/statusor.h>
#include <cursorwire/chat.h>
#include <cursorwire/context/editor_context.h>
#include <cursorwire/documents/event_format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/message.h"
#include "documents/tool_rules.h"

namespace cursor_gateway {

// All of `context.rules`: rules are not cut, so more of them are refused.
inline constexpr size_t kMaxContextRuleBytes = size_t{1024} * 1024;
inline constexpr size_t kMaxContextElements = 10'000;  // of a list

// The field `context` of a request. Files are paths, or objects with a `path`; errors of linters
// are texts, or objects. `projectLayout`, `gitStatus`, and an error without a message are taken as
// their JSON text where they are no strings. Members that are not known are passed over. Nothing is
// opened.
//   a BadRequest() that names the field
absl::StatusOr<cursorwire::context::EditorContext> ReadEditorContext(const nlohmann::json& context);

// The body of POST /api/v1/chat/completions, checked. A value.
struct DocumentRequest {
  std::string model = "auto";
  cursorwire::AgentMode mode = cursorwire::AgentMode::kAgent;
  std::vector<Message> messages{};
  std::string conversation_id{};                 // empty: a new one
  cursorwire::context::EditorContext context{};  // what the editor of the user shows
  ToolRules tools{};
  bool stream = false;
  bool thinking = false;  // a stream also has what the model thinks
  cursorwire::documents::EventFormat format = cursorwire::documents::EventFormat::kSse;
};

//   a BadRequest() that names the field
absl::StatusOr<DocumentRequest> ReadDocumentRequest(std::string_view body);

// Of the reason for a no, which is kept until newer questions take its place.
inline constexpr size_t kMaxReasonBytes = 4096;

// The body of POST /api/v1/approvals/{id}.
struct ApprovalDecision {
  bool approve = false;
  std::string reason{};
};
absl::StatusOr<ApprovalDecision> ReadApprovalDecision(std::string_view body);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_DOCUMENTS_DOCUMENT_REQUEST_H_
