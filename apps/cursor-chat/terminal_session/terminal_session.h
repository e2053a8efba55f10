#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_TERMINAL_SESSION_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_TERMINAL_SESSION_H_

#include <absl/status/status.h>

#include "common/interrupt.h"
#include "options.h"
#include "output/output.h"
#include "turn/running_commands.h"

namespace cursor_chat {

// Whether the options ask for a session: there is no prompt, and both standard input and output are
// terminals.
bool IsTerminalSession(const Options& options);

// Reads prompts and commands from the terminal until the user leaves, and shows the answers. Sets
// `exit_code`, which counts if the status is OK and no signal came. An error of a turn is shown,
// and does not end the session; one of its beginning, such as a missing token, does. The terminal's
// mode is restored in every case.
absl::Status RunTerminalSession(const Options& options, cursor_apps::Interrupt& interrupt,
                                RunningCommands& running, Output& output, int& exit_code);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_TERMINAL_SESSION_H_
