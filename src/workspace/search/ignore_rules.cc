#include "workspace/search/ignore_rules.h"

#include <algorithm>
#include <utility>

namespace cursorwire::workspace {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Removes spaces at the end, unless a backslash precedes them.
std::string_view WithoutTrailingSpaces(std::string_view line) {
  while (line.ends_with(' ')) {
    size_t backslashes = 0;
    while (backslashes + 1 < line.size() && line[line.size() - 2 - backslashes] == '\\') {
      ++backslashes;
    }
    if (backslashes % 2 == 1) return line;
    line.remove_suffix(1);
  }
  return line;
}

}  // namespace

IgnoreRules IgnoreRules::OfGitignore(std::string_view text) {
  IgnoreRules rules;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    line = WithoutTrailingSpaces(line);
    if (line.empty() || line.starts_with('#')) continue;
    // There is no one to report a broken line to: git ignores it too.
    rules.Add(line, Glob::Braces::kLiteral).IgnoreError();
  }
  return rules;
}

absl::Status IgnoreRules::Add(std::string_view pattern, Glob::Braces braces) {
  const bool keep = pattern.starts_with('!');
  if (keep) pattern.remove_prefix(1);
  const bool folders_only = pattern.ends_with('/') && !pattern.ends_with("\\/");
  if (folders_only) pattern.remove_suffix(1);
  absl::StatusOr<Glob> glob = Glob::Parse(pattern, braces);
  if (!glob.ok()) return glob.status();
  rules_.push_back({*std::move(glob), keep, folders_only});
  return absl::OkStatus();
}

Verdict IgnoreRules::Check(std::string_view path, bool is_folder) const {
  const auto rule = std::find_if(rules_.rbegin(), rules_.rend(), [&](const Rule& candidate) {
    return (is_folder || !candidate.folders_only) && candidate.glob.Matches(path);
  });
  if (rule == rules_.rend()) return Verdict::kNone;
  return rule->keep ? Verdict::kKeep : Verdict::kIgnore;
}

}  // namespace cursorwire::workspace
