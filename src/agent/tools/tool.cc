#include "cursorwire/tools.h"

#include <algorithm>
#include <utility>

namespace cursorwire {

size_t SchemaDepth(std::string_view json) {
  size_t depth = 0;
  size_t deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_string && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_string = !in_string;
    } else if (!in_string && (c == '{' || c == '[')) {
      deepest = std::max(deepest, ++depth);
    } else if (!in_string && (c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

ToolResult ToolResult::Text(std::string text) {
  ToolResult result;
  result.content.emplace_back(std::move(text));
  return result;
}

ToolResult ToolResult::Error(std::string text) {
  ToolResult result = Text(std::move(text));
  result.is_error = true;
  return result;
}

ToolResult ToolResult::Rejected(std::string reason) {
  ToolResult result = Error(std::move(reason));
  result.is_rejected = true;
  return result;
}

ToolResult ToolResult::Image(std::string bytes) {
  ToolResult result;
  result.content.emplace_back(ToolImage{.bytes = std::move(bytes)});
  return result;
}

}  // namespace cursorwire
