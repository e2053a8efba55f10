#ifndef CURSORWIRE_APPS_CURSOR_CHAT_NOTICES_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_NOTICES_H_

#include <absl/status/status.h>
#include <cursorwire/chat.h>

#include <string>

#include "output.h"

namespace cursor_chat {

// These write one line to standard error: an error, what does not keep the program from its work,
// and what the service has to say beside the answer. Tokens are taken out: Output::redactor().
void PrintError(Output& output, const absl::Status& status);
void PrintWarning(Output& output, const absl::Status& status);
void PrintWarning(Output& output, const std::string& text);
void PrintNotice(Output& output, const std::string& text);
// That the agent uses a tool, for the eye alone: nothing unless standard error is a terminal.
void PrintToolLine(Output& output, const cursorwire::ToolCallInfo& call);

// The code as Connect spells it, and the message.
std::string CodeOf(const absl::Status& status);
std::string MessageOf(const absl::Status& status);

// Text of the service for a terminal: one line, and no escape sequences.
std::string OneLine(std::string text);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_NOTICES_H_
