#include "documents/tool_rules.h"

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "json/json_field.h"
#include "openai/concat.h"

namespace cursor_gateway {
namespace {

using nlohmann::json;

struct KnownTool {
  std::string_view name;
  ActionKind kind;
};
constexpr KnownTool kKnownTools[] = {
    {"read_file", ActionKind::kRead},     {"list_dir", ActionKind::kList},
    {"grep", ActionKind::kSearch},        {"codebase_search", ActionKind::kSearch},
    {"edit_file", ActionKind::kWrite},    {"write", ActionKind::kWrite},
    {"delete_file", ActionKind::kDelete}, {"run_terminal_cmd", ActionKind::kCommand},
};

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

absl::Status ReadToolRule(const json& value, const std::string& where, bool& enabled,
                          ToolRule& rule) {
  if (!value.is_object()) return WrongField(where, "an object");
  const std::string members = where + ".";
  absl::Status status = ReadFlag(value, "enabled", enabled, members);
  if (status.ok()) {
    status = ReadFlag(value, "requireApproval", rule.require_approval, members);
  }
  const json* paths = FieldOf(value, "allowedPaths");
  if (!status.ok() || paths == nullptr) return status;
  const std::string place = members + "allowedPaths";
  if (!paths->is_array()) return WrongField(place, "a list of paths");
  for (const json& path : *paths) {
    if (!path.is_string()) return WrongField(place, "a list of paths");
    rule.allowed_paths.push_back(path.get<std::string>());
  }
  // An empty list allows no path, and not all of them.
  if (rule.allowed_paths.empty()) enabled = false;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ToolRules> ToolRules::Read(const json& tools) {
  ToolRules rules;
  rules.narrows_ = true;
  const auto add = [&rules](std::string_view name, bool enabled, const ToolRule& rule) {
    if (name.starts_with(kServerPrefix) || name == kReadResource) {
      rules.server_rules_[std::string(name)] = {.enabled = enabled, .rule = rule};
    }
    if (!enabled) return;
    for (const KnownTool& known : kKnownTools) {
      if (known.name != name) continue;
      // Two tools of one kind: the narrower of what both ask.
      ToolRule& entry = rules.rules_[known.kind];
      entry.require_approval = entry.require_approval || rule.require_approval;
      entry.allowed_paths.insert(entry.allowed_paths.end(), rule.allowed_paths.begin(),
                                 rule.allowed_paths.end());
    }
  };
  if (tools.is_array()) {
    for (const json& name : tools) {
      if (!name.is_string()) return WrongField("tools", "a list of names, or an object");
      add(name.get_ref<const std::string&>(), true, {});
    }
    return rules;
  }
  if (!tools.is_object()) return WrongField("tools", "a list of names, or an object");
  for (const auto& [name, value] : tools.items()) {
    bool enabled = true;
    ToolRule rule;
    absl::Status status = ReadToolRule(value, Concat("tools.", name), enabled, rule);
    if (!status.ok()) return status;
    add(name, enabled, rule);
  }
  return rules;
}

absl::Status ToolRules::Check(ActionKind kind, const std::string& path,
                              const std::string& workspace) const {
  if (!narrows_) return absl::OkStatus();
  const auto rule = rules_.find(kind);
  if (rule == rules_.end()) return NotEnabled();
  if (rule->second.allowed_paths.empty()) return absl::OkStatus();
  if (kind == ActionKind::kCommand) {
    return absl::PermissionDeniedError("commands are not bound to folders, and only some are open");
  }
  const std::filesystem::path root = Resolved(workspace);
  const std::filesystem::path target = Resolved(path.empty() ? root : root / path);
  std::string names;
  for (const std::string& allowed : rule->second.allowed_paths) {
    if (IsBelow(target, Resolved(root / allowed))) return absl::OkStatus();
    Append(names, names.empty() ? "" : ", ", allowed);
  }
  return absl::PermissionDeniedError(Concat("only these paths are open to this tool: ", names));
}

bool ToolRules::RequiresApproval(ActionKind kind) const {
  const auto rule = rules_.find(kind);
  return rule != rules_.end() && rule->second.require_approval;
}

// Names of servers have no "_".
const ToolRules::ServerRule* ToolRules::FindServerRule(const std::string& name) const {
  auto rule = server_rules_.find(name);
  if (rule == server_rules_.end() && name.starts_with(kServerPrefix)) {
    rule = server_rules_.find(name.substr(0, name.find('_', kServerPrefix.size())));
  }
  return rule == server_rules_.end() ? nullptr : &rule->second;
}

absl::Status ToolRules::CheckServerTool(const std::string& name) const {
  if (!narrows_) return absl::OkStatus();
  const ServerRule* rule = FindServerRule(name);
  if (rule == nullptr || !rule->enabled) return NotEnabled();
  if (rule->rule.allowed_paths.empty()) return absl::OkStatus();
  return absl::PermissionDeniedError("servers are not bound to folders, and only some are open");
}

bool ToolRules::RequiresApprovalOf(const std::string& name) const {
  const ServerRule* rule = FindServerRule(name);
  return rule != nullptr && rule->rule.require_approval;
}

absl::Status ToolRules::CheckReading(const std::string& provider) const {
  const auto rule = server_rules_.find(Concat(kServerPrefix, provider));
  if (rule != server_rules_.end() && !rule->second.enabled) return NotEnabled();
  return CheckServerTool(kReadResource);
}

bool ToolRules::RequiresApprovalOfReading(const std::string& provider) const {
  return RequiresApprovalOf(kReadResource) || RequiresApprovalOf(Concat(kServerPrefix, provider));
}

}  // namespace cursor_gateway
