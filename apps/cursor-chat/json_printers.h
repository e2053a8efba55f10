#ifndef CURSORWIRE_APPS_CURSOR_CHAT_JSON_PRINTERS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_JSON_PRINTERS_H_

#include <absl/status/status.h>

#include <memory>
#include <string>

#include "options.h"
#include "output.h"
#include "printer.h"

namespace cursor_chat {

// One object at the end. `output` outlives it.
std::unique_ptr<Printer> CreateJsonPrinter(Output& output, const std::string& conversation_id);

// One object a line: of an event that has a type in docs/agent.md, and of the error at the end.
std::unique_ptr<Printer> CreateStreamJsonPrinter(Output& output,
                                                 const std::string& conversation_id);

// In place of these, for what failed before there was a turn: one object with the error, of a shape
// that a reader of the format knows. Nothing in text format.
void PrintErrorObject(Format format, Output& output, const absl::Status& error);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_JSON_PRINTERS_H_
