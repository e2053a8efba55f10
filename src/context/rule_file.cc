#include "cursorwire/context/project_rules.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <utility>
#include <vector>

#include "context/front_matter.h"

namespace cursorwire::context {
namespace {

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
  std::optional<FrontMatter> said = TakeFrontMatter(text);
  AgentRule rule{.path = path, .content = std::string(text)};
  if (!said || said->always) return rule;
  if (!said->globs.empty()) {
    rule.use = RuleUse::kForFiles;
    rule.globs = std::move(said->globs);
  } else if (!said->description.empty()) {
    rule.use = RuleUse::kOnRequest;
    rule.description = std::move(said->description);
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
