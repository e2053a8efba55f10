#ifndef CURSORWIRE_SRC_AGENT_EVENTS_CURSOR_ERROR_H_
#define CURSORWIRE_SRC_AGENT_EVENTS_CURSOR_ERROR_H_

#include <optional>

#include "cursorwire/chat_error.h"
#include "cursorwire/connect/error_info.h"

namespace cursorwire::agent {

// GetCursorError() for an ErrorInfo.
std::optional<CursorError> FindCursorError(const connect::ErrorInfo& info);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EVENTS_CURSOR_ERROR_H_
