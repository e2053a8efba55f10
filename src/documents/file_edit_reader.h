#ifndef CURSORWIRE_SRC_DOCUMENTS_FILE_EDIT_READER_H_
#define CURSORWIRE_SRC_DOCUMENTS_FILE_EDIT_READER_H_

#include "cursorwire/documents/document.h"
#include "documents/tool_json.h"

namespace cursorwire::documents {

// Fills the metadata of a file_edit from a tool call: of the service (edit, delete), or of a
// client's tool with a well-known name. Source: docs/protocol.md, tool calls.
void ReadEditArguments(const Json& arguments, FileEditMetadata& edit);
void ReadEditResult(const ReadOutcome& read, FileEditMetadata& edit);

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_SRC_DOCUMENTS_FILE_EDIT_READER_H_
