#ifndef CURSORWIRE_APPS_GATEWAY_DOCUMENTS_TOOL_RULES_H_
#define CURSORWIRE_APPS_GATEWAY_DOCUMENTS_TOOL_RULES_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace cursor_gateway {

// What the agent does on the machine.
enum class ActionKind { kRead, kList, kSearch, kMake, kChange, kDelete, kCommand };

// In a request, the reading of resources of servers. Their tools are named as models know them,
// mcp_<server>_<tool>, or all of a server: mcp_<server>.
inline constexpr char kReadResource[] = "read_mcp_resource";

// Of a request. More are refused: the gateway looks at each of them again and again.
inline constexpr size_t kMaxToolNames = 1000;
inline constexpr size_t kMaxAllowedPaths = 1000;  // of all tools
// To find where a path leads takes time that grows with the square of its length and its folders.
inline constexpr size_t kMaxAllowedPathBytes = 1024;
inline constexpr std::ptrdiff_t kMaxAllowedPathFolders = 64;        // without "." and ".."
inline constexpr size_t kMaxAllowedPathsBytes = size_t{64} * 1024;  // of all tools

// One tool of a request.
struct ToolRule {
  bool enabled = true;
  bool require_approval = false;
  // Relative to the workspace, without "." and a folder before "..", whatever that links to; empty:
  // all of it.
  std::vector<std::string> allowed_paths{};
};

// How a request narrows what the gateway permits. A value; without rules, nothing is narrowed.
class ToolRules {
 public:
  // A list of names, or an object by name: {"enabled", "allowedPaths", "requireApproval", "scope"}.
  // A tool that is not named is not allowed.
  //   a BadRequest() that names the member
  static absl::StatusOr<ToolRules> Read(const nlohmann::json& tools);

  // kPermissionDenied, in words for the agent; else whether the user must approve. `path` and
  // `workspace` are absolute and have no links: what a policy of LocalExecHandler hears. An empty
  // path: the action has none.
  //
  // A file is made by `write`, and changed by `edit_file`; `write` alone, which replaces files,
  // also changes them. A search may be either of its two tools: all that are named must allow it.
  absl::StatusOr<bool> Check(ActionKind kind, const std::string& path,
                             const std::string& workspace) const;

  // The same for a tool of a server, by the name that models know it by.
  absl::StatusOr<bool> CheckServerTool(const std::string& name) const;
  // The same for the reading of a resource: the rule of its server counts as well.
  absl::StatusOr<bool> CheckReading(const std::string& provider) const;

 private:
  const ToolRule* Find(std::string_view name) const;
  // Those that hold for an action; none: its tools are not named.
  std::vector<const ToolRule*> RulesOf(ActionKind kind) const;
  // The rule of a tool of a server, or of the whole server.
  const ToolRule* FindServerRule(const std::string& name) const;

  bool narrows_ = false;
  std::map<std::string, ToolRule, std::less<>> rules_;  // by name
};

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_DOCUMENTS_TOOL_RULES_H_
