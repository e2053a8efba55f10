#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TURN_TURN_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TURN_TURN_H_

#include <absl/status/status.h>
#include <cursorwire/chat.h>
#include <cursorwire/conversation.h>

#include <functional>
#include <stop_token>

#include "options.h"
#include "output/output.h"

namespace cursor_chat {

// Called once the turn is over, with its status. What it returns is the status of the turn for the
// user.
using AfterTurn = std::function<absl::Status(absl::Status status)>;

// One turn, printed as it comes; `stop` cancels it. Returns what `after_turn` made of its status.
// In a format of documents the agent's questions are shown; plans are accepted if nothing can come
// of them, and nobody answers the others.
absl::Status PlayTurn(cursorwire::Conversation& conversation, cursorwire::ChatRequest request,
                      Format format, const std::stop_token& stop, Output& output,
                      const AfterTurn& after_turn);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TURN_TURN_H_
