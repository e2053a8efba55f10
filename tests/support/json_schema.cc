#include "support/json_schema.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <regex>
#include <set>

namespace cursorwire::test {
namespace {

using nlohmann::json;

constexpr char kDefinitions[] = "#/$defs/";

bool HasType(const json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "boolean") return value.is_boolean();
  return type == "null" && value.is_null();
}

bool HasSomeType(const json& value, const json& types) {
  if (types.is_string()) return HasType(value, types.get<std::string>());
  return std::any_of(types.begin(), types.end(), [&value](const json& type) {
    return HasType(value, type.get<std::string>());
  });
}

bool Matches(const std::string& text, const std::string& pattern) {
  static std::map<std::string, std::regex>& known = *new std::map<std::string, std::regex>;
  auto found = known.find(pattern);
  if (found == known.end()) found = known.emplace(pattern, pattern).first;
  return std::regex_search(text.substr(0, 100), found->second);
}

// The text is made only where it is needed: most choices of a schema do not hold.
std::string IfNot(bool holds, const std::string& place, const char* what,
                  const json* argument = nullptr) {
  if (holds) return "";
  return place + ": " + what + (argument == nullptr ? "" : " " + argument->dump());
}

}  // namespace

std::string JsonSchema::Check(const json& value, const std::string& definition) const {
  if (definition.empty()) return CheckOne(root_, value, "$");
  return CheckOne(root_.at("$defs").at(definition), value, "$");
}

std::string JsonSchema::CheckOne(const json& schema, const json& value,
                                 const std::string& place) const {
  for (const auto& [keyword, argument] : schema.items()) {
    std::string error = CheckKeyword(keyword, argument, schema, value, place);
    if (!error.empty()) return error;
  }
  return "";
}

std::string JsonSchema::CheckKeyword(const std::string& keyword, const json& argument,
                                     const json& schema, const json& value,
                                     const std::string& place) const {
  static const std::set<std::string>& notes =
      *new std::set<std::string>{"$schema", "$id", "$defs", "title", "description"};
  if (notes.contains(keyword)) return "";
  if (keyword == "$ref") {
    const std::string name = argument.get<std::string>().substr(sizeof(kDefinitions) - 1);
    return CheckOne(root_.at("$defs").at(name), value, place);
  }
  if (keyword == "type") {
    return IfNot(HasSomeType(value, argument), place, "is not of type", &argument);
  }
  if (keyword == "const") return IfNot(value == argument, place, "is not", &argument);
  if (keyword == "enum") {
    const bool is_one = std::find(argument.begin(), argument.end(), value) != argument.end();
    return IfNot(is_one, place, "is none of", &argument);
  }
  if (keyword == "minimum") {
    return IfNot(!value.is_number() || value >= argument, place, "is below", &argument);
  }
  if (keyword == "minLength") {
    const bool holds = !value.is_string() || !value.get_ref<const std::string&>().empty();
    return IfNot(holds && argument == 1, place, "is empty");
  }
  if (keyword == "pattern") {
    const bool holds = !value.is_string() || Matches(value, argument.get<std::string>());
    return IfNot(holds, place, "does not match", &argument);
  }
  if (keyword == "properties") return CheckMembers(argument, value, place);
  if (keyword == "required") {
    for (const json& name : argument) {
      if (value.is_object() && !value.contains(name.get<std::string>())) {
        return place + ": lacks " + name.dump();
      }
    }
    return "";
  }
  if (keyword == "additionalProperties" && argument == false) {
    if (!value.is_object()) return "";
    for (const auto& [name, member] : value.items()) {
      if (!schema.at("properties").contains(name)) return place + ": has a member " + name;
    }
    return "";
  }
  if (keyword == "items") {
    for (size_t i = 0; value.is_array() && i < value.size(); ++i) {
      std::string error = CheckOne(argument, value[i], place + "[" + std::to_string(i) + "]");
      if (!error.empty()) return error;
    }
    return "";
  }
  if (keyword == "oneOf" || keyword == "anyOf") {
    return CheckChoices(argument, keyword == "oneOf", value, place);
  }
  return place + ": a keyword that this checker does not know: " + keyword;
}

std::string JsonSchema::CheckMembers(const json& properties, const json& value,
                                     const std::string& place) const {
  if (!value.is_object()) return "";
  for (const auto& [name, schema] : properties.items()) {
    const auto member = value.find(name);
    if (member == value.end()) continue;
    std::string error = CheckOne(schema, *member, place + "." + name);
    if (!error.empty()) return error;
  }
  return "";
}

std::string JsonSchema::CheckChoices(const json& choices, bool only_one, const json& value,
                                     const std::string& place) const {
  int valid = 0;
  std::string errors;
  for (const json& choice : choices) {
    const std::string error = CheckOne(choice, value, place);
    if (error.empty()) {
      ++valid;
    } else {
      errors += "\n  " + error;
    }
  }
  if (valid == 0) return place + ": none of the choices holds:" + errors;
  return IfNot(valid == 1 || !only_one, place, "several choices hold");
}

}  // namespace cursorwire::test
