#include "terminal_session/rules.h"

#include <cursorwire/local_exec_handler.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "prompt.h"

namespace cursor_chat {
namespace {

namespace fs = std::filesystem;

constexpr char kRulesFolder[] = ".cursor/rules";

std::string_view Stripped(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const size_t start = text.find_first_not_of(kBlank);
  if (start == text.npos) return "";
  return text.substr(start, text.find_last_not_of(kBlank) - start + 1);
}

std::string_view Unquoted(std::string_view text) {
  text = Stripped(text);
  const bool quoted = text.size() >= 2 && text.front() == text.back() &&
                      (text.front() == '"' || text.front() == '\'');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

// "a, b", "[a, b]" or "\"a\"". Commas within braces belong to a glob.
void AddGlobs(std::string_view list, std::vector<std::string>& globs) {
  list = Stripped(list);
  if (list.starts_with('[') && list.ends_with(']')) list = list.substr(1, list.size() - 2);
  list = Unquoted(list);
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && list[i] == '{') ++depth;
    if (i < list.size() && list[i] == '}') --depth;
    if (i < list.size() && (list[i] != ',' || depth > 0)) continue;
    const std::string_view glob = Unquoted(list.substr(start, i - start));
    if (!glob.empty()) globs.emplace_back(glob);
    start = i + 1;
  }
}

// What is between the "---" lines, and removes it from `text`. nullopt: there is nothing of that
// kind.
std::optional<std::string_view> TakeFrontMatter(std::string_view& text) {
  if (!text.starts_with("---\n") && !text.starts_with("---\r\n")) return std::nullopt;
  const size_t start = text.find('\n') + 1;
  for (size_t line = start; line < text.size();) {
    const size_t end = std::min(text.find('\n', line), text.size());
    if (Stripped(text.substr(line, end - line)) == "---") {
      const std::string_view front = text.substr(start, line - start);
      text.remove_prefix(std::min(end + 1, text.size()));
      return front;
    }
    line = end + 1;
  }
  return std::nullopt;
}

struct FrontMatter {
  bool always = false;
  std::vector<std::string> globs{};
  std::string description{};
};

FrontMatter ParseFrontMatter(std::string_view front) {
  FrontMatter result;
  std::string_view last_key;
  while (!front.empty()) {
    const size_t end = std::min(front.find('\n'), front.size());
    const std::string_view line = Stripped(front.substr(0, end));
    front.remove_prefix(std::min(end + 1, front.size()));
    if (line.starts_with("- ") && last_key == "globs") {
      AddGlobs(line.substr(2), result.globs);
      continue;
    }
    const size_t colon = line.find(':');
    if (colon == line.npos) continue;
    last_key = Stripped(line.substr(0, colon));
    const std::string_view value = line.substr(colon + 1);
    if (last_key == "alwaysApply") result.always = Stripped(value) == "true";
    if (last_key == "description") result.description = std::string(Unquoted(value));
    if (last_key == "globs") AddGlobs(value, result.globs);
  }
  return result;
}

std::vector<std::string> RuleNames(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error);
       !error && entry != fs::directory_iterator() && names.size() < kMaxRuleFiles;
       entry.increment(error)) {
    const std::string extension = entry->path().extension().string();
    if (extension == ".mdc" || extension == ".md") {
      names.push_back(entry->path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

void AddRuleFile(cursorwire::LocalExecHandler& files, const std::string& name, Rules& rules) {
  absl::StatusOr<cursorwire::ReadOutput> file = files.Read({.path = name}, {});
  absl::Status status = file.status();
  if (file.ok() && !file->is_text) status = absl::InvalidArgumentError("this is no text in UTF-8");
  if (file.ok() && file->truncated)
    status = absl::InvalidArgumentError("this is larger than 1 MiB");
  if (!status.ok()) {
    rules.failures.emplace_back(
        status.code(), "the rules of " + name + " are not used: " + std::string(status.message()));
    return;
  }
  rules.rules.push_back(ParseRule(files.folder() + "/" + name, file->content));
  rules.names.push_back(name);
}

}  // namespace

Rules ReadWorkspaceRules(const std::string& folder) {
  Rules rules;
  auto files = cursorwire::LocalExecHandler::Create(folder, {.max_read_bytes = kMaxRuleFileBytes});
  if (!files.ok()) {
    rules.failures.push_back(files.status());
    return rules;
  }
  const fs::path place = (*files)->folder();
  std::error_code error;
  if (fs::exists(fs::symlink_status(place / "AGENTS.md", error))) {
    AddRuleFile(**files, "AGENTS.md", rules);
  }
  for (const std::string& name : RuleNames(place / kRulesFolder)) {
    AddRuleFile(**files, std::string(kRulesFolder) + "/" + name, rules);
  }
  return rules;
}

absl::StatusOr<std::vector<cursorwire::AgentRule>> ReadRuleFiles(
    const std::vector<std::string>& files) {
  std::vector<cursorwire::AgentRule> rules;
  for (const std::string& file : files) {
    const absl::StatusOr<std::string> text = ReadFile(file, kMaxRuleFileBytes);
    if (!text.ok()) return text.status();
    std::error_code error;
    const fs::path path = fs::absolute(file, error);
    rules.push_back(ParseRule(error ? file : path.lexically_normal().string(), *text));
    rules.back().use = cursorwire::RuleUse::kAlways;
  }
  return rules;
}

cursorwire::AgentRule ParseRule(const std::string& path, std::string_view text) {
  using cursorwire::RuleUse;
  const std::optional<std::string_view> front = TakeFrontMatter(text);
  cursorwire::AgentRule rule{.path = path, .content = std::string(text)};
  if (!front) return rule;
  FrontMatter said = ParseFrontMatter(*front);
  if (said.always) return rule;
  if (!said.globs.empty()) {
    rule.use = RuleUse::kForFiles;
    rule.globs = std::move(said.globs);
  } else if (!said.description.empty()) {
    rule.use = RuleUse::kOnRequest;
    rule.description = std::move(said.description);
  } else {
    rule.use = RuleUse::kByName;
  }
  return rule;
}

}  // namespace cursor_chat
