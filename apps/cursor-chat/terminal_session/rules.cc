#include "terminal_session/rules.h"

#include <cursorwire/context/rule_file.h>

#include <filesystem>
#include <system_error>

#include "prompt.h"

namespace cursor_chat {

absl::StatusOr<std::vector<cursorwire::AgentRule>> ReadRuleFiles(
    const std::vector<std::string>& files) {
  std::vector<cursorwire::AgentRule> rules;
  for (const std::string& file : files) {
    const absl::StatusOr<std::string> text = ReadFile(file, kMaxRuleFileBytes);
    if (!text.ok()) return text.status();
    std::error_code error;
    const std::filesystem::path path = std::filesystem::absolute(file, error);
    rules.push_back(
        cursorwire::context::ParseRuleFile(error ? file : path.lexically_normal().string(), *text));
    rules.back().use = cursorwire::RuleUse::kAlways;
  }
  return rules;
}

}  // namespace cursor_chat
