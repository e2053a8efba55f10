#ifndef CURSORWIRE_APPS_ACP_JSON_H_
#define CURSORWIRE_APPS_ACP_JSON_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "json/json_member.h"

namespace cursor_acp {

using Json = nlohmann::json;

using cursorwire::FlagOf;
using cursorwire::MemberOf;
using cursorwire::ParseObject;
using cursorwire::TextOf;

// One line; bytes that are not UTF-8 become U+FFFD.
std::string WriteJson(const Json& value);

// A text that must be there.
//   kInvalidArgument  it is missing, or is no text; the message names it
absl::StatusOr<std::string> RequireText(const Json& params, const char* name);

// At most `max_bytes` of a UTF-8 text, in whole characters, with "..." after it if it was cut.
std::string Shortened(std::string_view text, size_t max_bytes);
// The same on one line: other control characters become spaces.
std::string OneShortLine(std::string_view text, size_t max_bytes);

}  // namespace cursor_acp

#endif  // CURSORWIRE_APPS_ACP_JSON_H_
