#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_SESSION_LIST_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_SESSION_LIST_H_

#include <absl/status/status.h>

#include "options.h"
#include "output/output.h"

namespace cursor_chat {

// Prints the sessions of the folder that the options name, as a table or as JSON; by default those
// of DefaultSessionFolder(). Without any, says so on standard error.
//   kNotFound  there is no such folder, or no default one
absl::Status PrintSessions(const Options& options, Output& output);

// Removes the files of the conversations that Options::words name, in their order: paths, or names
// in DefaultSessionFolder(). As JSON, prints which were removed. Ends with the first error.
//   kNotFound            there is no such file
//   kInvalidArgument     the file holds no conversation
//   kFailedPrecondition  another process uses it
absl::Status RemoveSessions(const Options& options, Output& output);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_SESSION_LIST_H_
