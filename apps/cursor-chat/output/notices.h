#ifndef CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_NOTICES_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_NOTICES_H_

#include <absl/status/status.h>
#include <cursorwire/chat.h>

#include <string>

#include "output/output.h"

namespace cursor_chat {

// Each writes one line to standard error: an error, a problem that does not stop the program, or
// what the service says beside the answer. Tokens are removed by Output::redactor().
void PrintError(Output& output, const absl::Status& status);
void PrintWarning(Output& output, const absl::Status& status);
void PrintWarning(Output& output, const std::string& text);
void PrintNotice(Output& output, const std::string& text);
// Shows that the agent uses a tool, or that the turn is tried again. Prints only if standard error
// is a terminal.
void PrintToolLine(Output& output, const cursorwire::ToolCallInfo& call);
void PrintToolLine(Output& output, const std::string& call);
void PrintRetry(Output& output, const cursorwire::Retrying& retrying);

// Connect's name for the code, and the message.
std::string CodeOf(const absl::Status& status);
std::string MessageOf(const absl::Status& status);

// Makes the service's text fit for a terminal: one line, without escape sequences.
std::string OneLine(std::string text);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_NOTICES_H_
