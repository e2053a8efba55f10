#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_RULES_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_RULES_H_

#include <absl/status/statusor.h>
#include <cursorwire/chat.h>
#include <cursorwire/context/project_rules.h>

#include <cstddef>
#include <string>
#include <vector>

#include "options.h"

namespace cursor_chat {

inline constexpr size_t kMaxRuleFileBytes = size_t{1024} * 1024;

enum class RulesOf {
  kWorkspace,
  kNamedWorkspace,  // only that of --workspace, and not the current folder that --local looks into
};

// The rules of the workspace, unless --no-rules or --allow none leave them out, and then those of
// --rules. What cannot be read of the folder is in `failures`.
//   kInvalidArgument  as of ReadRuleFiles()
absl::StatusOr<cursorwire::context::ProjectRules> ReadRules(const Options& options, RulesOf of);

// The files of --rules, which always apply.
//   kInvalidArgument  a file cannot be read, is no text, or is larger than kMaxRuleFileBytes
absl::StatusOr<std::vector<cursorwire::AgentRule>> ReadRuleFiles(
    const std::vector<std::string>& files);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_RULES_H_
