#ifndef CURSORWIRE_APPS_CURSOR_CHAT_CHECKED_JSON_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_CHECKED_JSON_H_

#include <absl/status/statusor.h>

#include <nlohmann/json.hpp>
#include <string_view>

namespace cursor_chat {

// Deeper than this, to write it again could take more stack than there is.
inline constexpr int kMaxJsonDepth = 128;

// Reads JSON that nobody has looked at.
//   kInvalidArgument  no JSON, or none in UTF-8; a number that is too large; a member that is there
//                     twice; deeper than kMaxJsonDepth. The message says where.
absl::StatusOr<nlohmann::json> ParseJson(std::string_view text);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_CHECKED_JSON_H_
