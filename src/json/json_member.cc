#include "json/json_member.h"

#include "json/json_reader.h"

namespace cursorwire {

using nlohmann::json;

json ParseObject(std::string_view text) {
  json value;
  const JsonBounds bounds{.max_depth = kMaxObjectDepth, .max_values = kMaxObjectValues};
  return !ReadJson(text, bounds, value) && value.is_object() ? value : json::object();
}

const json& MemberOf(const json& object, std::string_view name) {
  static const json& none = *new json();
  if (!object.is_object()) return none;
  const auto member = object.find(name);
  return member == object.end() ? none : *member;
}

std::string TextOf(const json& object, std::string_view name) {
  const json& member = MemberOf(object, name);
  return member.is_string() ? member.get<std::string>() : "";
}

bool FlagOf(const json& object, std::string_view name) { return MemberOf(object, name) == true; }

}  // namespace cursorwire
