#ifndef CURSORWIRE_APPS_GATEWAY_DOCUMENTS_TOOL_RULES_H_
#define CURSORWIRE_APPS_GATEWAY_DOCUMENTS_TOOL_RULES_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cursor_gateway {

// What the agent does on the machine, by the tools that a request names.
enum class ActionKind { kRead, kList, kSearch, kWrite, kDelete, kCommand };

// In a request, the reading of resources of servers. Their tools are named as models know them,
// mcp_<server>_<tool>, or all of a server: mcp_<server>.
inline constexpr char kReadResource[] = "read_mcp_resource";

// One tool of a request.
struct ToolRule {
  bool require_approval = false;
  // Relative to the workspace; empty: all of it.
  std::vector<std::string> allowed_paths{};
};

// How a request narrows what the gateway permits. A value; without rules, nothing is narrowed.
class ToolRules {
 public:
  // A list of names, or an object by name: {"enabled", "allowedPaths", "requireApproval", "scope"}.
  // A tool that is not named is not allowed.
  //   a BadRequest() that names the member
  static absl::StatusOr<ToolRules> Read(const nlohmann::json& tools);

  // kPermissionDenied, in words for the agent. `path` is absolute; empty: the action has none.
  absl::Status Check(ActionKind kind, const std::string& path, const std::string& workspace) const;
  bool RequiresApproval(ActionKind kind) const;

  // The same for a tool of a server, by the name that models know it by.
  absl::Status CheckServerTool(const std::string& name) const;
  bool RequiresApprovalOf(const std::string& name) const;
  // The same for the reading of a resource: the rule of its server counts as well.
  absl::Status CheckReading(const std::string& provider) const;
  bool RequiresApprovalOfReading(const std::string& provider) const;

 private:
  // One tool of a server, or all of it.
  struct ServerRule {
    bool enabled = true;
    ToolRule rule{};
  };

  const ServerRule* FindServerRule(const std::string& name) const;

  bool narrows_ = false;
  std::map<ActionKind, ToolRule> rules_;
  std::map<std::string, ServerRule> server_rules_;  // by name
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_DOCUMENTS_TOOL_RULES_H_
