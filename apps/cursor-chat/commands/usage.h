#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_USAGE_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_USAGE_H_

#include <absl/status/status.h>
#include <cursorwire/account_usage.h>
#include <cursorwire/client.h>

#include <cstddef>
#include <stop_token>
#include <string>

#include "options.h"
#include "output/output.h"

namespace cursor_chat {

// What the account has used, as lines. `bar_columns`: how wide a bar is; 0: there are none.
std::string UsageText(const cursorwire::AccountUsage& usage, size_t bar_columns);

// Asks the service what the account has used, and prints it as text, with bars on a terminal, or as
// JSON.
absl::Status PrintUsage(const cursorwire::Client& client, const Options& options, Output& output,
                        const std::stop_token& stop);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_USAGE_H_
