#include "documents/request_field.h"

#include "openai/api_error.h"
#include "openai/concat.h"

namespace cursor_gateway {

using nlohmann::json;

absl::Status Wrong(std::string_view param, std::string_view wanted) {
  return BadRequest(Concat("'", param, "' must be ", wanted), param);
}

const json* FieldOf(const json& body, const char* name) {
  const auto it = body.find(name);
  return it == body.end() || it->is_null() ? nullptr : &*it;
}

absl::Status ReadString(const json& body, const char* name, std::string& value,
                        std::string_view where) {
  const json* field = FieldOf(body, name);
  if (field == nullptr) return absl::OkStatus();
  if (!field->is_string()) return Wrong(Concat(where, name), "a string");
  value = field->get<std::string>();
  return absl::OkStatus();
}

absl::Status ReadFlag(const json& body, const char* name, bool& value) {
  const json* field = FieldOf(body, name);
  if (field == nullptr) return absl::OkStatus();
  if (!field->is_boolean()) return Wrong(name, "a boolean");
  value = field->get<bool>();
  return absl::OkStatus();
}

}  // namespace cursor_gateway
