#ifndef CURSORWIRE_SRC_JSON_CHECKED_JSON_H_
#define CURSORWIRE_SRC_JSON_CHECKED_JSON_H_

#include <absl/status/statusor.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "json/json_reader.h"

namespace cursorwire {

// Parses the JSON of a file that a person writes.
//   kInvalidArgument  not JSON or not UTF-8; a number that is too large; a member that occurs
//                     twice; over the bounds. The message says where.
absl::StatusOr<nlohmann::json> ParseCheckedJson(std::string_view text, const JsonBounds& bounds);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_JSON_CHECKED_JSON_H_
