#ifndef CURSORWIRE_SRC_DOCUMENTS_FILE_EDIT_READER_H_
#define CURSORWIRE_SRC_DOCUMENTS_FILE_EDIT_READER_H_

#include <optional>
#include <string>

#include "cursorwire/chat.h"
#include "cursorwire/documents/document.h"
#include "documents/tool_json.h"

namespace cursorwire::documents {

// Fill the metadata of a file_edit from a tool call: of the service (edit, delete), or of a
// client's tool with a well-known name. Source: docs/protocol.md, tool calls.

// The file that a call changes, by its arguments, else by its result; "" if neither names one.
std::string PathOfEdit(const ToolCallInfo& call);
FileEditMetadata EditOf(const std::string& path, FileOperation operation);

// Return the content of the document; nullopt: they do not tell. The result counts only where the
// arguments do not.
std::optional<std::string> ReadEditArguments(const Json& arguments, FileEditMetadata& edit);
std::optional<std::string> ReadEditResult(const ReadOutcome& read, FileEditMetadata& edit);

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_SRC_DOCUMENTS_FILE_EDIT_READER_H_
