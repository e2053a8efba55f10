#ifndef CURSORWIRE_APPS_GATEWAY_DOCUMENTS_REQUEST_FIELD_H_
#define CURSORWIRE_APPS_GATEWAY_DOCUMENTS_REQUEST_FIELD_H_

#include <absl/status/status.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace cursor_gateway {

// A BadRequest() that says what the field at `param` must be.
absl::Status Wrong(std::string_view param, std::string_view wanted);

// A member of an object; nullptr: it is missing or null.
const nlohmann::json* FieldOf(const nlohmann::json& body, const char* name);

// A member that must be a string if it is there; else `value` stays as it is. `where` is what
// stands before its name in an error, such as "context.".
//   a BadRequest() that names the field
absl::Status ReadString(const nlohmann::json& body, const char* name, std::string& value,
                        std::string_view where = "");
// The same for a boolean.
absl::Status ReadFlag(const nlohmann::json& body, const char* name, bool& value);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_DOCUMENTS_REQUEST_FIELD_H_
