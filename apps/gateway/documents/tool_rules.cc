#include "documents/tool_rules.h"

#include <filesystem>
#include <iterator>
#include <system_error>

#include "api/concat.h"
#include "api/json_field.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

// The tools of an action, as requests name them.
std::vector<std::string_view> NamesOf(ActionKind kind) {
  switch (kind) {
    case ActionKind::kRead:
      return {"read_file"};
    case ActionKind::kList:
      return {"list_dir"};
    case ActionKind::kSearch:
      return {"grep", "codebase_search"};
    case ActionKind::kMake:
      return {"write"};
    case ActionKind::kChange:
      return {"edit_file", "write"};
    case ActionKind::kDelete:
      return {"delete_file"};
    case ActionKind::kCommand:
      return {"run_terminal_cmd"};
  }
  return {};
}

constexpr std::string_view kServerPrefix = "mcp_";

absl::Status NotEnabled() {
  return absl::PermissionDeniedError("this tool is not enabled here; answer without it");
}

bool IsBelow(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const std::filesystem::path rest = path.lexically_relative(folder);
  return !rest.empty() && *rest.begin() != "..";
}

// Links are followed, as far as the path exists.
std::filesystem::path Resolved(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path resolved = std::filesystem::weakly_canonical(path, error);
  return error ? path.lexically_normal() : resolved;
}

absl::Status CheckPaths(const std::vector<std::string>& paths, const std::filesystem::path& target,
                        const std::filesystem::path& root) {
  std::string names;
  for (const std::string& allowed : paths) {
    if (IsBelow(target, Resolved(root / allowed))) return absl::OkStatus();
    Append(names, names.empty() ? "" : ", ", allowed);
  }
  return absl::PermissionDeniedError(Concat("only these paths are open to this tool: ", names));
}

// Of the paths of all tools.
struct PathSum {
  size_t paths = 0;
  size_t bytes = 0;
};

absl::Status ReadToolRule(const json& value, const std::string& where, ToolRule& rule,
                          PathSum& sum) {
  if (!value.is_object()) return WrongField(where, "an object");
  const std::string members = where + ".";
  absl::Status status = ReadFlag(value, "enabled", rule.enabled, members);
  if (status.ok()) {
    status = ReadFlag(value, "requireApproval", rule.require_approval, members);
  }
  const json* list = FieldOf(value, "allowedPaths");
  if (!status.ok() || list == nullptr) return status;
  const std::string place = members + "allowedPaths";
  if (!list->is_array()) return WrongField(place, "a list of paths");
  sum.paths += list->size();
  if (sum.paths > kMaxAllowedPaths) {
    return WrongField(place, "a list, of 1000 paths of all tools at most");
  }
  for (const json& value_of_path : *list) {
    if (!value_of_path.is_string()) return WrongField(place, "a list of paths");
    const auto& text = value_of_path.get_ref<const std::string&>();
    sum.bytes += text.size();
    if (text.size() > kMaxAllowedPathBytes || sum.bytes > kMaxAllowedPathsBytes) {
      return WrongField(place, "of paths of 1024 bytes, and 64 KiB of all tools, at most");
    }
    const std::filesystem::path path = std::filesystem::path(text).lexically_normal();
    if (std::distance(path.begin(), path.end()) > kMaxAllowedPathFolders) {
      return WrongField(place, "of paths of 64 folders at most");
    }
    rule.allowed_paths.push_back(path.string());
  }
  // An empty list allows no path, and not all of them.
  if (rule.allowed_paths.empty()) rule.enabled = false;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ToolRules> ToolRules::Read(const json& tools) {
  ToolRules rules;
  rules.narrows_ = true;
  if (tools.size() > kMaxToolNames) return WrongField("tools", "of 1000 names at most");
  if (tools.is_array()) {
    for (const json& name : tools) {
      if (!name.is_string()) return WrongField("tools", "a list of names, or an object");
      rules.rules_[name.get<std::string>()] = {};
    }
    return rules;
  }
  if (!tools.is_object()) return WrongField("tools", "a list of names, or an object");
  PathSum sum;
  for (const auto& [name, value] : tools.items()) {
    absl::Status status = ReadToolRule(value, Concat("tools.", name), rules.rules_[name], sum);
    if (!status.ok()) return status;
  }
  return rules;
}

const ToolRule* ToolRules::Find(std::string_view name) const {
  const auto rule = rules_.find(name);
  return rule == rules_.end() ? nullptr : &rule->second;
}

std::vector<const ToolRule*> ToolRules::RulesOf(ActionKind kind) const {
  std::vector<const ToolRule*> rules;
  for (const std::string_view name : NamesOf(kind)) {
    if (const ToolRule* rule = Find(name); rule != nullptr) rules.push_back(rule);
    if (kind == ActionKind::kChange && !rules.empty()) break;
  }
  return rules;
}

absl::StatusOr<bool> ToolRules::Check(ActionKind kind, const std::string& path,
                                      const std::string& workspace) const {
  if (!narrows_) return false;
  const std::vector<const ToolRule*> rules = RulesOf(kind);
  if (rules.empty()) return NotEnabled();
  bool asks = false;
  for (const ToolRule* rule : rules) {
    if (!rule->enabled) return NotEnabled();
    asks = asks || rule->require_approval;
    if (rule->allowed_paths.empty()) continue;
    if (kind == ActionKind::kCommand) {
      return absl::PermissionDeniedError(
          "commands are not bound to folders, and only some are open");
    }
    absl::Status allowed = CheckPaths(rule->allowed_paths, path, workspace);
    if (!allowed.ok()) return allowed;
  }
  return asks;
}

// Names of servers have no "_".
const ToolRule* ToolRules::FindServerRule(const std::string& name) const {
  const ToolRule* rule = Find(name);
  if (rule != nullptr || !name.starts_with(kServerPrefix)) return rule;
  return Find(name.substr(0, name.find('_', kServerPrefix.size())));
}

absl::StatusOr<bool> ToolRules::CheckServerTool(const std::string& name) const {
  if (!narrows_) return false;
  const ToolRule* rule = FindServerRule(name);
  if (rule == nullptr || !rule->enabled) return NotEnabled();
  if (rule->allowed_paths.empty()) return rule->require_approval;
  return absl::PermissionDeniedError("servers are not bound to folders, and only some are open");
}

absl::StatusOr<bool> ToolRules::CheckReading(const std::string& provider) const {
  const ToolRule* rule = Find(Concat(kServerPrefix, provider));
  if (rule != nullptr && !rule->enabled) return NotEnabled();
  absl::StatusOr<bool> asks = CheckServerTool(kReadResource);
  if (asks.ok() && rule != nullptr) *asks = *asks || rule->require_approval;
  return asks;
}

}  // namespace cursor_gateway
