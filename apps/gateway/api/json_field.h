#ifndef CURSORWIRE_APPS_GATEWAY_API_JSON_FIELD_H_
#define CURSORWIRE_APPS_GATEWAY_API_JSON_FIELD_H_

#include <absl/status/status.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace cursor_gateway {

// The fields of a body, for all APIs of the gateway. A field that is null counts as absent. Errors
// are a BadRequest() whose `param` is `where` and the name: with "context." and "rules", it is
// "context.rules".

// What the field at `param` must be.
absl::Status WrongField(std::string_view param, std::string_view wanted);
absl::Status MissingField(std::string_view param);

// nullptr: it is missing or null, or `object` is no object.
const nlohmann::json* FieldOf(const nlohmann::json& object, const char* name);

// A string; empty: the field is absent or of another type.
std::string_view TextOf(const nlohmann::json& object, const char* name);

// Each leaves `value` as it is where the field is absent, and fails where it has another type.
// Lists and objects live as long as `object`.
absl::Status ReadString(const nlohmann::json& object, const char* name, std::string& value,
                        std::string_view where = "");
absl::Status ReadFlag(const nlohmann::json& object, const char* name, bool& value,
                      std::string_view where = "");
absl::Status ReadList(const nlohmann::json& object, const char* name, const nlohmann::json*& value,
                      std::string_view where = "");
absl::Status ReadObject(const nlohmann::json& object, const char* name,
                        const nlohmann::json*& value, std::string_view where = "");

// A string that must be there.
absl::Status RequireString(const nlohmann::json& object, const char* name, std::string& value,
                           std::string_view where = "");

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_API_JSON_FIELD_H_
