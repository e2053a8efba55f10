#ifndef CURSORWIRE_SRC_DOCUMENTS_COMMAND_READER_H_
#define CURSORWIRE_SRC_DOCUMENTS_COMMAND_READER_H_

#include "cursorwire/documents/document.h"
#include "documents/tool_json.h"

namespace cursorwire::documents {

// Fills the metadata of a terminal_command from a tool call: of the service (shell), or of a
// client's tool of that name. Source: docs/protocol.md, tool calls.
void ReadCommandArguments(const Json& arguments, TerminalCommandMetadata& command);
// Adds to its output.
void ReadCommandDelta(const Json& delta, TerminalCommandMetadata& command);
void ReadCommandResult(const ReadOutcome& read, bool is_of_client,
                       TerminalCommandMetadata& command);

}  // namespace cursorwire::documents

#endif  // CURSORWIRE_SRC_DOCUMENTS_COMMAND_READER_H_
