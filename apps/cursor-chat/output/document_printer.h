#ifndef CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_DOCUMENT_PRINTER_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_DOCUMENT_PRINTER_H_

#include <memory>

#include "options.h"
#include "output/output.h"
#include "output/printer.h"

namespace cursor_chat {

// Prints the answer as documents: complete at the end, or as events while it comes. Questions of
// the agent are documents too. `output` must outlive it. `format` is one of documents.
std::unique_ptr<Printer> CreateDocumentPrinter(Format format, Output& output, PrintedTurn turn);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_DOCUMENT_PRINTER_H_
