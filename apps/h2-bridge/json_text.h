#ifndef CURSORWIRE_APPS_H2_BRIDGE_JSON_TEXT_H_
#define CURSORWIRE_APPS_H2_BRIDGE_JSON_TEXT_H_

#include <nlohmann/json.hpp>
#include <string_view>

namespace h2_bridge {

// As JavaScript's JSON.parse() on bytes, also where our parser is stricter: bytes that are not
// UTF-8 and halves of surrogate pairs become U+FFFD, and a number beyond the range of a double
// becomes the largest of its sign. is_discarded(): no JSON.
nlohmann::json ParseJson(std::string_view text);

}  // namespace h2_bridge

#endif  // CURSORWIRE_APPS_H2_BRIDGE_JSON_TEXT_H_
