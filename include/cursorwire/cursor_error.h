// Room: src/agent/events
#ifndef CURSORWIRE_CURSOR_ERROR_H_
#define CURSORWIRE_CURSOR_ERROR_H_

#include <absl/status/status.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "cursorwire/export.h"

namespace cursorwire {

// What the service says of an error beside its code: the message is often only "Error". A value.
// Source: docs/protocol.md, end of a run (aiserver.v1.ErrorDetails).
struct CursorError {
  // The value of the enum aiserver.v1.ErrorDetails.Error, and its name. One that this library does
  // not know has a number and no name; one that the service gave only by name has no number.
  uint64_t number = 0;
  std::string name{};    // "ERROR_RATE_LIMITED_CHANGEABLE"
  std::string title{};   // "Usage limit reached"
  std::string detail{};  // a sentence or two; may be Markdown
  // nullopt: the service did not say.
  std::optional<bool> is_retryable{};
  std::optional<bool> is_expected{};
  std::map<std::string, std::string> additional_info{};
};

// The first of such details in the ErrorInfo of a status that can be read: from its bytes, else
// from its JSON form. nullopt: there is none. The message of an error of this library has title and
// detail in it already. RemedyOf() (remedy.h) says what a user can do. Thread-safe.
CURSORWIRE_EXPORT std::optional<CursorError> GetCursorError(const absl::Status& status);

}  // namespace cursorwire

#endif  // CURSORWIRE_CURSOR_ERROR_H_
