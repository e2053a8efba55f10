#ifndef CURSORWIRE_APPS_GATEWAY_API_FUNCTION_TOOL_H_
#define CURSORWIRE_APPS_GATEWAY_API_FUNCTION_TOOL_H_

#include <absl/status/status.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace cursor_gateway {

// A function that the client offers.
struct FunctionTool {
  std::string name{};
  std::string description{};
  std::string parameters{};  // a JSON Schema, an object as text; empty: any object
};

inline constexpr size_t kMaxTools = 512;
inline constexpr size_t kMaxToolNameLength = 64;

// 1 to 64 of A-Z, a-z, 0-9, '_' and '-'.
bool IsToolName(std::string_view name);

// Reads `name`, `description` and `parameters`. `where` stands before their names in errors, such
// as "tools.[0].function.".
//   a BadRequest() that names the member
absl::Status ReadFunction(const nlohmann::json& function, std::string_view where,
                          FunctionTool& tool);

// The library refuses a deeper schema for all tools of a turn at once.
//   a BadRequest() for `param` that names the tool
absl::Status CheckSchema(const FunctionTool& tool, const std::string& param);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_API_FUNCTION_TOOL_H_
