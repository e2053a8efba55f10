#ifndef CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_JSON_PRINTERS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_JSON_PRINTERS_H_

#include <absl/status/status.h>

#include <memory>
#include <string>

#include "options.h"
#include "output/output.h"
#include "output/printer.h"

namespace cursor_chat {

// Prints one object at the end. `output` must outlive it.
std::unique_ptr<Printer> CreateJsonPrinter(Output& output, ConversationId conversation_id);

// Prints one object per line: for each event that has a type in docs/agent.md, and for the final
// error.
std::unique_ptr<Printer> CreateStreamJsonPrinter(Output& output, ConversationId conversation_id);

// For a failure before the turn: prints one object with the error, in a form that readers of the
// format know. Prints nothing in text format. `turn` is the one that did not come about.
void PrintErrorObject(Format format, Output& output, const absl::Status& error, PrintedTurn turn);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_JSON_PRINTERS_H_
