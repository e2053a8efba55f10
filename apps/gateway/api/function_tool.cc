#include "api/function_tool.h"

#include <cursorwire/tools.h>

#include <algorithm>
#include <string>

#include "api/api_error.h"
#include "api/concat.h"
#include "api/json_field.h"
#include "api/json_text.h"

namespace cursor_gateway {

bool IsToolName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxToolNameLength &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-';
         });
}

absl::Status ReadFunction(const nlohmann::json& function, std::string_view where,
                          FunctionTool& tool) {
  absl::Status status = RequireString(function, "name", tool.name, where);
  if (status.ok()) status = ReadString(function, "description", tool.description, where);
  const nlohmann::json* parameters = nullptr;
  if (status.ok()) status = ReadObject(function, "parameters", parameters, where);
  if (!status.ok() || parameters == nullptr) return status;
  tool.parameters = CompactJson(*parameters);
  return CheckSchema(tool, Concat(where, "parameters"));
}

absl::Status CheckSchema(const FunctionTool& tool, const std::string& param) {
  const size_t depth = cursorwire::SchemaDepth(tool.parameters);
  if (depth <= cursorwire::kMaxSchemaDepth) return absl::OkStatus();
  return BadRequest(Concat("the schema of the tool ", tool.name, " is nested ",
                           std::to_string(depth), " objects and lists deep, over the limit of ",
                           std::to_string(cursorwire::kMaxSchemaDepth)),
                    param);
}

}  // namespace cursor_gateway
