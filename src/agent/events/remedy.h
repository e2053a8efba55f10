#ifndef CURSORWIRE_SRC_AGENT_EVENTS_REMEDY_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_REMEDY_H_

#include <absl/status/status.h>

#include <string_view>

#include "cursorwire/chat_error.h"
#include "cursorwire/connect/error_info.h"

namespace cursorwire::agent {

// What a user can do about the error, in words; without a known remedy, a likely cause; "" if
// neither is known.
std::string_view HintOf(absl::StatusCode code, std::string_view message,
                        const connect::ErrorInfo& info);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_REMEDY_H_
