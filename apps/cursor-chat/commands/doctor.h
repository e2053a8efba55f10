#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_DOCTOR_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_DOCTOR_H_

#include <absl/status/status.h>

#include "common/interrupt.h"
#include "options.h"
#include "output/output.h"

namespace cursor_chat {

// Looks at each step from this machine to an answer of the service, and prints how it went and what
// to do: as lines, each as soon as it is known, or as JSON.
//   kUnknown  a check failed; the message says how many
absl::Status RunDoctor(const Options& options, cursor_apps::Interrupt& interrupt, Output& output);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_DOCTOR_H_
