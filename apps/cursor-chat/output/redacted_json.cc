#include "output/redacted_json.h"

#include <string>
#include <utility>

namespace cursor_chat {

using nlohmann::json;

void RedactStrings(const cursorwire::connect::Redactor& redactor, json& value) {
  if (value.is_string()) {
    value = redactor.Redact(value.get_ref<const std::string&>());
  } else if (value.is_array()) {
    for (json& element : value) RedactStrings(redactor, element);
  } else if (value.is_object()) {
    json redacted = json::object();
    for (auto& [name, member] : value.items()) {
      RedactStrings(redactor, member);
      redacted[redactor.Redact(name)] = std::move(member);
    }
    value = std::move(redacted);
  }
}

}  // namespace cursor_chat
