#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_RULES_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_RULES_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <cursorwire/agent_rule.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cursor_chat {

inline constexpr size_t kMaxRuleFileBytes = size_t{1024} * 1024;
inline constexpr size_t kMaxRuleFiles = 100;  // of `.cursor/rules`

// Rules of files, and what went wrong with those that are left out.
struct Rules {
  std::vector<cursorwire::AgentRule> rules{};
  std::vector<std::string> names{};  // of the files, to be shown
  std::vector<absl::Status> failures{};
};

// The rules of a workspace: `AGENTS.md`, and files of `.cursor/rules` that end with .mdc or .md, by
// name. A file outside of the folder is not read, even if a symbolic link of the folder names it.
Rules ReadWorkspaceRules(const std::string& folder);

// The files of --rules, which always apply.
//   kInvalidArgument  a file cannot be read, is no text, or is larger than kMaxRuleFileBytes
absl::StatusOr<std::vector<cursorwire::AgentRule>> ReadRuleFiles(
    const std::vector<std::string>& files);

// A rule from the text of a file. The lines between two "---" at its start say when it applies:
// alwaysApply, globs (separated by commas, or a list), description. Without them it always applies;
// with them and none of the three, when the user names it. Source: docs/protocol.md, request
// context.
cursorwire::AgentRule ParseRule(const std::string& path, std::string_view text);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_RULES_H_
