#include "cursorwire/tool.h"

#include <utility>

namespace cursorwire {

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
