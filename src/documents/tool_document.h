#ifndef CURSORWIRE_SRC_DOCUMENTS_TOOL_DOCUMENT_H_
#define CURSORWIRE_SRC_DOCUMENTS_TOOL_DOCUMENT_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "cursorwire/chat.h"
#include "cursorwire/documents/document.h"
#include "documents/tool_role.h"

namespace cursorwire::documents {

// Why a call has failed.
struct ToolFailure {
  std::string word{};     // the protocol's
  std::string message{};  // for a person
  std::string reason{};   // what the tool told; may be empty
};

// What a call becomes.
struct ToolKind {
  ToolRole role = ToolRole::kToolCall;
  std::string path{};  // of the file that it changes
};
// `call` is named. A call that changes a file without saying which becomes a tool_call. nullopt: so
// much must come of the arguments before it is known. `has_arguments`: they are complete.
std::optional<ToolKind> KindOf(const ToolCallInfo& call, bool has_arguments);

// The document of a tool call that has not ended. It has no text of the answer's.
class ToolDocument {
 public:
  // `kind` is that of `call`, whose arguments count once ReadArguments() is called.
  ToolDocument(const ToolKind& kind, const ToolCallInfo& call);

  const std::string& name() const { return name_; }
  const std::string& call_id() const { return call_id_; }
  const DocumentMetadata& metadata() const { return metadata_; }
  DocumentMetadata TakeMetadata() { return std::move(metadata_); }
  // The content, which is told once, as soon as it is known; nullopt: it is not, or was told.
  std::optional<std::string> TakeContent() { return std::exchange(content_, std::nullopt); }

  // Returns them as they stand in an event.
  std::string ReadArguments(const std::string& arguments_json);
  // A piece of what a command gives out, as of ToolCallDelta. Returns its size.
  size_t ReadDelta(const std::string& delta_json);
  // `failure` is set if it failed and an error document is to say so.
  ToolOutcome ReadResult(const std::string& result_json, std::chrono::milliseconds duration,
                         std::optional<ToolFailure>& failure);

 private:
  void SetContent(std::optional<std::string> content);

  const ToolRole role_;
  const bool is_of_client_;
  const std::string name_;
  const std::string call_id_;
  DocumentMetadata metadata_;
  std::optional<std::string> content_;
  bool has_content_ = false;  // it is known, or was
  // The text of an edit as the model wrote it, for one whose result does not tell the new text.
  std::optional<std::string> written_;
};

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_SRC_DOCUMENTS_TOOL_DOCUMENT_H_
