#ifndef CURSORWIRE_SRC_JSON_JSON_MEMBER_H_
#define CURSORWIRE_SRC_JSON_JSON_MEMBER_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace cursorwire {

// What ParseObject() reads at most.
inline constexpr size_t kMaxObjectDepth = 128;
inline constexpr size_t kMaxObjectValues = size_t{4} * 1024 * 1024;

// Reads an object of a stranger; any other text, or none, is an empty object.
nlohmann::json ParseObject(std::string_view text);

// The member of an object; null if `object` is none, or has no such member.
const nlohmann::json& MemberOf(const nlohmann::json& object, std::string_view name);
// The same for a text; "" if it is none.
std::string TextOf(const nlohmann::json& object, std::string_view name);
// The same for a flag; false if it is none.
bool FlagOf(const nlohmann::json& object, std::string_view name);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_JSON_JSON_MEMBER_H_
