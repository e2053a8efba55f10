#ifndef CURSORWIRE_SRC_AGENT_EVENTS_ERROR_MESSAGE_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_ERROR_MESSAGE_H_

#include <absl/status/status.h>

namespace cursorwire::agent {

// The service's message is often only "Error"; what a user can act on is in its ErrorDetails. Adds
// their title and text to the message, followed in parentheses by what a user can do about the
// error, if that is known. Nothing else changes. Call it only once for a status.
absl::Status WithErrorDetails(const absl::Status& status);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_ERROR_MESSAGE_H_
