#ifndef CURSORWIRE_SRC_AGENT_EVENTS_ERROR_DETAILS_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_ERROR_DETAILS_H_

#include <absl/status/status.h>

namespace cursorwire::agent {

// The service's message is often only "Error"; what a user can act on is in a detail of type
// `aiserver.v1.ErrorDetails`. Adds that detail's title and text to the message, followed in
// parentheses by what a user can do about the error, if that is known. Nothing else changes. Call
// it only once for a status. Source: docs/protocol.md, end of a run.
absl::Status WithErrorDetails(const absl::Status& status);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_ERROR_DETAILS_H_
