#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_ACP_COMMAND_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_ACP_COMMAND_H_

#include <absl/status/status.h>

#include "common/interrupt.h"
#include "options.h"
#include "output/output.h"
#include "turn/running_commands.h"

namespace cursor_chat {

// "cursor-chat acp": serves an editor on standard input and output until that ends, or a signal
// comes. See docs/acp.md.
//   kFailedPrecondition  there is no folder for the sessions
//   and what is wrong with the options
absl::Status RunAcp(const Options& options, cursor_apps::Interrupt& interrupt,
                    RunningCommands& running, Output& output);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_ACP_COMMAND_H_
