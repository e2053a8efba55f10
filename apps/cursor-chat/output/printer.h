#ifndef CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_PRINTER_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_PRINTER_H_

#include <absl/status/status.h>
#include <cursorwire/chat.h>

#include <functional>
#include <memory>
#include <string>

#include "options.h"
#include "output/output.h"

namespace cursor_chat {

// Tells the id of the conversation, which may change within a turn.
using ConversationId = std::function<std::string()>;

// What an answer is to.
struct PrintedTurn {
  ConversationId conversation_id{};  // empty: there is no turn
  std::string model{};
  cursorwire::AgentMode mode = cursorwire::AgentMode::kAgent;
};

// Writes a turn, each event as it arrives.
class Printer {
 public:
  // `output` must outlive it. The JSON formats include the id of the conversation.
  static std::unique_ptr<Printer> Create(Format format, Output& output, PrintedTurn turn);
  virtual ~Printer() = default;

  virtual void OnEvent(const cursorwire::ChatEvent& event) = 0;
  // An error: the answer is too large for the format, and all of it that is shown has been.
  virtual absl::Status status() const { return absl::OkStatus(); }
  // Call once, at the end.
  virtual void OnEnd(const absl::Status& status) = 0;
};

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_PRINTER_H_
