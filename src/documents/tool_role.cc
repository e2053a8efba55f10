#include "documents/tool_role.h"

#include <string_view>

namespace cursorwire::documents {
namespace {

struct RoleRow {
  std::string_view name;
  ToolRole role;
};

// Kinds of agent.v1 (docs/protocol.md, tool calls).
constexpr RoleRow kKinds[] = {
    {"ask_question", ToolRole::kClarification}, {"create_plan", ToolRole::kPlan},
    {"delete", ToolRole::kFileDelete},          {"edit", ToolRole::kFileEdit},
    {"shell", ToolRole::kTerminalCommand},      {"update_todos", ToolRole::kTodoUpdate}};

// Names that tools of clients have for the same.
constexpr RoleRow kNames[] = {{"ask_question", ToolRole::kClarification},
                              {"create_plan", ToolRole::kPlan},
                              {"delete_file", ToolRole::kFileDelete},
                              {"edit_file", ToolRole::kFileEdit},
                              {"run_terminal_cmd", ToolRole::kTerminalCommand},
                              {"search_replace", ToolRole::kFileEdit},
                              {"todo_write", ToolRole::kTodoUpdate},
                              {"write", ToolRole::kFileEdit}};

template <size_t N>
ToolRole FindRole(const RoleRow (&table)[N], std::string_view name) {
  for (const RoleRow& row : table) {
    if (row.name == name) return row.role;
  }
  return ToolRole::kToolCall;
}

}  // namespace

ToolRole RoleOf(const ToolCallInfo& call) {
  return call.kind == "mcp" ? FindRole(kNames, call.name) : FindRole(kKinds, call.kind);
}

std::string ToolNameOf(const ToolCallInfo& call) {
  const std::string& name = call.kind == "mcp" ? call.name : call.kind;
  return name.empty() ? "unknown" : name;
}

bool IsNamed(const ToolCallInfo& call) {
  return !(call.kind == "mcp" ? call.name : call.kind).empty();
}

}  // namespace cursorwire::documents
