#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_TRACE_COMMANDS_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_TRACE_COMMANDS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <cursorwire/trace.h>

#include <memory>
#include <string>

#include "output/output.h"

namespace cursor_chat {

// Prints the calls of a trace for a person.
absl::Status ShowTrace(const std::string& file, Output& output);
// Prints scripts of a trace for local-upstream. Says on standard error what is left out.
absl::Status PrintTraceScripts(const std::string& file, Output& output);

// For --trace: begins to record in `file`; nullptr if it is empty.
absl::StatusOr<std::shared_ptr<cursorwire::Trace>> StartTrace(const std::string& file);
// Waits until all is written, and warns if something is missing. `trace` may be nullptr.
void FinishTrace(const std::shared_ptr<cursorwire::Trace>& trace, Output& output);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_TRACE_COMMANDS_H_
