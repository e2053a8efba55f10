// Room: values
#ifndef CURSORWIRE_CONNECT_CODE_H_
#define CURSORWIRE_CONNECT_CODE_H_

#include <absl/status/status.h>

#include <optional>
#include <string_view>

#include "cursorwire/export.h"

namespace cursorwire::connect {

// The text of a code in the Connect protocol: "canceled", "invalid_argument" and so on; "ok" for
// kOk. The sixteen error codes map one to one (Connect protocol, "Error codes").
CURSORWIRE_EXPORT std::string_view CodeText(absl::StatusCode code);

// The code that a text names; nullopt if it is not one of the sixteen.
CURSORWIRE_EXPORT std::optional<absl::StatusCode> CodeFromText(std::string_view text);

}  // namespace cursorwire::connect

#endif  // CURSORWIRE_CONNECT_CODE_H_
