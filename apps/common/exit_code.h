#ifndef CURSORWIRE_APPS_COMMON_EXIT_CODE_H_
#define CURSORWIRE_APPS_COMMON_EXIT_CODE_H_

#include <absl/status/status.h>

namespace cursor_apps {

// What cursor-chat and cursor-gateway exit with; --help lists them.
enum ExitCode : int {
  kExitOk = 0,
  kExitOther = 1,
  kExitUsage = 2,
  kExitUnauthenticated = 3,
  kExitUnavailable = 4,
  kExitDeadline = 5,
  kExitProtocol = 6,
  kExitResourceExhausted = 7,
  kExitSignal = 128,  // plus the number of the signal, as in a shell: 130 for Ctrl-C
};

ExitCode ExitCodeOf(const absl::Status& status);

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_EXIT_CODE_H_
