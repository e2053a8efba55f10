#include "api/json_field.h"

#include "api/api_error.h"
#include "api/concat.h"

namespace cursor_gateway {

using nlohmann::json;

absl::Status WrongField(std::string_view param, std::string_view wanted) {
  return BadRequest(Concat("'", param, "' must be ", wanted), param);
}

absl::Status MissingField(std::string_view param) {
  return BadRequest(Concat("'", param, "' is missing"), param, "missing_required_parameter");
}

const json* FieldOf(const json& object, const char* name) {
  const auto it = object.find(name);
  return it == object.end() || it->is_null() ? nullptr : &*it;
}

std::string_view TextOf(const json& object, const char* name) {
  const json* field = FieldOf(object, name);
  return field != nullptr && field->is_string() ? field->get_ref<const std::string&>()
                                                : std::string_view();
}

absl::Status ReadString(const json& object, const char* name, std::string& value,
                        std::string_view where) {
  const json* field = FieldOf(object, name);
  if (field == nullptr) return absl::OkStatus();
  if (!field->is_string()) return WrongField(Concat(where, name), "a string");
  value = field->get_ref<const std::string&>();
  return absl::OkStatus();
}

absl::Status ReadFlag(const json& object, const char* name, bool& value, std::string_view where) {
  const json* field = FieldOf(object, name);
  if (field == nullptr) return absl::OkStatus();
  if (!field->is_boolean()) return WrongField(Concat(where, name), "a boolean");
  value = field->get<bool>();
  return absl::OkStatus();
}

absl::Status ReadList(const json& object, const char* name, const json*& value,
                      std::string_view where) {
  const json* field = FieldOf(object, name);
  if (field == nullptr) return absl::OkStatus();
  if (!field->is_array()) return WrongField(Concat(where, name), "a list");
  value = field;
  return absl::OkStatus();
}

absl::Status ReadObject(const json& object, const char* name, const json*& value,
                        std::string_view where) {
  const json* field = FieldOf(object, name);
  if (field == nullptr) return absl::OkStatus();
  if (!field->is_object()) return WrongField(Concat(where, name), "an object");
  value = field;
  return absl::OkStatus();
}

absl::Status RequireString(const json& object, const char* name, std::string& value,
                           std::string_view where) {
  if (FieldOf(object, name) == nullptr) return WrongField(Concat(where, name), "a string");
  return ReadString(object, name, value, where);
}

}  // namespace cursor_gateway
