#ifndef CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_RULES_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_RULES_H_

#include <absl/status/statusor.h>
#include <cursorwire/agent_rule.h>

#include <cstddef>
#include <string>
#include <vector>

namespace cursor_chat {

inline constexpr size_t kMaxRuleFileBytes = size_t{1024} * 1024;

// The files of --rules, which always apply. Those of a workspace: cursorwire/context.
//   kInvalidArgument  a file cannot be read, is no text, or is larger than kMaxRuleFileBytes
absl::StatusOr<std::vector<cursorwire::AgentRule>> ReadRuleFiles(
    const std::vector<std::string>& files);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_TERMINAL_SESSION_RULES_H_
