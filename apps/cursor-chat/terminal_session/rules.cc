#include "terminal_session/rules.h"

#include <cursorwire/context/project_rules.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "common/read_file.h"

namespace cursor_chat {

absl::StatusOr<std::vector<cursorwire::AgentRule>> ReadRuleFiles(
    const std::vector<std::string>& files) {
  std::vector<cursorwire::AgentRule> rules;
  for (const std::string& file : files) {
    const absl::StatusOr<std::string> text = cursor_apps::ReadFile(file, kMaxRuleFileBytes);
    if (!text.ok()) return text.status();
    std::error_code error;
    const std::filesystem::path path = std::filesystem::absolute(file, error);
    rules.push_back(
        cursorwire::context::ParseRuleFile(error ? file : path.lexically_normal().string(), *text));
    rules.back().use = cursorwire::RuleUse::kAlways;
  }
  return rules;
}

absl::StatusOr<cursorwire::context::ProjectRules> ReadRules(const Options& options, RulesOf of) {
  cursorwire::context::ProjectRules rules;
  const bool is_meant = of == RulesOf::kWorkspace || options.names_workspace;
  if (is_meant && !options.workspace.empty() && options.allow.read && !options.no_rules) {
    rules = cursorwire::context::ReadProjectRules(options.workspace);
  }
  absl::StatusOr<std::vector<cursorwire::AgentRule>> named = ReadRuleFiles(options.rules_files);
  if (!named.ok()) return named.status();
  for (cursorwire::AgentRule& rule : *named) rules.rules.push_back(std::move(rule));
  rules.names.insert(rules.names.end(), options.rules_files.begin(), options.rules_files.end());
  return rules;
}

}  // namespace cursor_chat
