#ifndef CURSORWIRE_APPS_CURSOR_CHAT_EXIT_CODE_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_EXIT_CODE_H_

#include <absl/status/status.h>

namespace cursor_chat {

// What the program's exit code says; --help lists them.
enum ExitCode : int {
  kExitOk = 0,
  kExitOther = 1,
  kExitUsage = 2,
  kExitUnauthenticated = 3,
  kExitUnavailable = 4,
  kExitDeadline = 5,
  kExitProtocol = 6,
  kExitResourceExhausted = 7,
  kExitSignal = 128,  // and the number of the signal, as a shell has it: 130 of Ctrl-C
};

ExitCode ExitCodeOf(const absl::Status& status);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_EXIT_CODE_H_
