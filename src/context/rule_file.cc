#include "cursorwire/context/rule_file.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace cursorwire::context {
namespace {

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

// Removes and returns the first line, without its line end.
std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// What is between the "---" lines, and removes it from `text`. nullopt: there is nothing of that
// kind.
std::optional<std::string_view> TakeFrontMatter(std::string_view& text) {
  if (!text.starts_with("---\n") && !text.starts_with("---\r\n")) return std::nullopt;
  std::string_view rest = text;
  TakeLine(rest);
  const std::string_view front = rest;
  while (!rest.empty()) {
    const size_t before = front.size() - rest.size();
    if (Stripped(TakeLine(rest)) != "---") continue;
    text = rest;
    return front.substr(0, before);
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
    const std::string_view line = Stripped(TakeLine(front));
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

// The name of a folder as a glob that matches nothing else.
std::string AsGlob(std::string_view folder) {
  std::string glob;
  for (const char c : folder) {
    if (std::string_view("*?[]{}!\\").find(c) != std::string_view::npos) glob += '\\';
    glob += c;
  }
  return glob;
}

}  // namespace

AgentRule ParseRuleFile(const std::string& path, std::string_view text) {
  const std::optional<std::string_view> front = TakeFrontMatter(text);
  AgentRule rule{.path = path, .content = std::string(text)};
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

AgentRule WithinFolder(AgentRule rule, std::string_view folder) {
  const std::string prefix = AsGlob(folder);
  if (rule.use == RuleUse::kAlways) {
    rule.use = RuleUse::kForFiles;
    rule.globs = {absl::StrCat(prefix, "/**")};
    return rule;
  }
  for (std::string& glob : rule.globs) {
    // As in a .gitignore, a glob without a slash is for files in any folder.
    const bool anywhere = glob.find('/') == glob.npos;
    glob = absl::StrCat(prefix, anywhere ? "/**/" : glob.starts_with('/') ? "" : "/", glob);
  }
  return rule;
}

}  // namespace cursorwire::context
