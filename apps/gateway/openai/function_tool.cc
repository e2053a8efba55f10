#include "openai/function_tool.h"

#include <algorithm>

#include "json/json_field.h"
#include "openai/json_text.h"

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
  if (parameters != nullptr) tool.parameters = CompactJson(*parameters);
  return status;
}

}  // namespace cursor_gateway
