#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_ACCOUNT_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_ACCOUNT_H_

#include <absl/status/status.h>

#include "common/interrupt.h"
#include "options.h"
#include "output/output.h"

namespace cursor_chat {

// Logs in with the user's browser: prints the address, opens it, and waits.
absl::Status LogIn(const Options& options, cursor_apps::Interrupt& interrupt, Output& output);
// Removes the login that LogIn() has left.
absl::Status LogOut(const Options& options, cursor_apps::Interrupt& interrupt, Output& output);
// Prints whose login is used, as text or as JSON.
absl::Status PrintAccount(const Options& options, Output& output);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_ACCOUNT_H_
