#ifndef CURSORWIRE_APPS_GATEWAY_DOCUMENTS_CONTEXT_READER_H_
#define CURSORWIRE_APPS_GATEWAY_DOCUMENTS_CONTEXT_READER_H_

#include <absl/status/statusor.h>
#include <cursorwire/context/editor_context.h>

#include <cstddef>
#include <nlohmann/json.hpp>

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

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_DOCUMENTS_CONTEXT_READER_H_
