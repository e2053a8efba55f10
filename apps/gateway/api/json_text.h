#ifndef CURSORWIRE_APPS_GATEWAY_API_JSON_TEXT_H_
#define CURSORWIRE_APPS_GATEWAY_API_JSON_TEXT_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace cursor_gateway {

// Bounds of a request's body: it comes from a stranger.
inline constexpr size_t kMaxJsonDepth = 128;
inline constexpr size_t kMaxJsonValues = 1'000'000;

// Reads a JSON text in UTF-8. Escapes of lone surrogates become U+FFFD. Of members with the same
// name the last counts.
//   a BadRequest() without `param`: no JSON, no UTF-8, too deep, too many values, or a number that
//   no double can hold
absl::StatusOr<nlohmann::json> ReadJson(std::string_view text);

// With all values within it.
size_t CountValues(const nlohmann::json& value);
// The same of a text, about: of one that ReadJson() refuses, as far as it looks.
size_t CountValuesOf(std::string_view text);
// What each takes in memory, about, beside its own bytes in the text.
inline constexpr size_t kJsonValueBytes = 48;

// On one line, members sorted by name; bytes that are not UTF-8 become U+FFFD.
std::string CompactJson(const nlohmann::json& value);

// The arguments of a call as OpenAI's API has them: compact, whole numbers without ".0", and an
// empty object if there are none. What is no JSON stays as it is.
std::string CallArguments(const std::string& text);
// The same, with each number as a double has it: what a client in JavaScript makes of them.
std::string RoundedArguments(const std::string& text);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_API_JSON_TEXT_H_
