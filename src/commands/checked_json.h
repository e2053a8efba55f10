#ifndef CURSORWIRE_SRC_COMMANDS_CHECKED_JSON_H_
#define CURSORWIRE_SRC_COMMANDS_CHECKED_JSON_H_

#include <absl/status/statusor.h>

#include <nlohmann/json.hpp>
#include <string_view>

namespace cursorwire::commands {

// Deeper JSON could overflow the stack when it is written again.
inline constexpr int kMaxJsonDepth = 128;

// Parses untrusted JSON.
//   kInvalidArgument  not JSON or not UTF-8; a number that is too large; a member that occurs
//                     twice; deeper than kMaxJsonDepth. The message says where.
absl::StatusOr<nlohmann::json> ParseJson(std::string_view text);

}  // namespace cursorwire::commands

#endif  // CURSORWIRE_SRC_COMMANDS_CHECKED_JSON_H_
