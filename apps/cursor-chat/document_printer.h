#ifndef CURSORWIRE_APPS_CURSOR_CHAT_DOCUMENT_PRINTER_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_DOCUMENT_PRINTER_H_

#include <absl/status/status.h>
#include <cursorwire/query.h>

#include <memory>

#include "options.h"
#include "output.h"
#include "printer.h"

namespace cursor_chat {

// Prints the answer as documents: complete at the end, or as events while it comes.
class DocumentPrinter : public Printer {
 public:
  // `output` must outlive it. `format` is one of documents.
  static std::unique_ptr<DocumentPrinter> Create(Format format, Output& output, PrintedTurn turn);

  virtual void OnQuery(const cursorwire::QueryArgs& query) = 0;
  // An error: the answer is too large to be shown, and all of it that is shown has been.
  virtual const absl::Status& status() const = 0;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_DOCUMENT_PRINTER_H_
