#ifndef CURSORWIRE_APPS_CURSOR_CHAT_PRINTER_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_PRINTER_H_

#include <absl/status/status.h>
#include <cursorwire/chat.h>

#include <memory>
#include <string>

#include "options.h"
#include "output.h"

namespace cursor_chat {

// Writes a turn, each event as it arrives.
class Printer {
 public:
  // `output` must outlive it. The JSON formats include `conversation_id`.
  static std::unique_ptr<Printer> Create(Format format, Output& output,
                                         const std::string& conversation_id);
  virtual ~Printer() = default;

  virtual void OnEvent(const cursorwire::ChatEvent& event) = 0;
  // Call once, at the end.
  virtual void OnEnd(const absl::Status& status) = 0;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_PRINTER_H_
