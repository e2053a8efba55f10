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
};

// The document of a tool call that has not ended. It has no text of the answer's.
class ToolDocument {
 public:
  // `call` is named. Its arguments count once ReadArguments() is called.
  explicit ToolDocument(const ToolCallInfo& call);

  const std::string& name() const { return name_; }
  const std::string& call_id() const { return call_id_; }
  const DocumentMetadata& metadata() const { return metadata_; }
  DocumentMetadata TakeMetadata() { return std::move(metadata_); }
  // nullopt: documents of this type have none.
  const std::optional<std::string>& content() const { return content_; }

  // Returns them as they stand in an event.
  std::string ReadArguments(const std::string& arguments_json);
  // A piece of what a command gives out, as of ToolCallDelta. Returns its size.
  size_t ReadDelta(const std::string& delta_json);
  // `failure` is set if it failed and an error document is to say so.
  ToolOutcome ReadResult(const std::string& result_json, std::chrono::milliseconds duration,
                         std::optional<ToolFailure>& failure);

 private:
  const ToolRole role_;
  const bool is_of_client_;
  const std::string name_;
  const std::string call_id_;
  DocumentMetadata metadata_;
  std::optional<std::string> content_;
};

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_SRC_DOCUMENTS_TOOL_DOCUMENT_H_
