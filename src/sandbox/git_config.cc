#include "sandbox/git_config.h"

#include <algorithm>
#include <iterator>

#include "base/strings.h"
#include "base/text.h"

namespace cursorwire::sandbox {
namespace {

// What `git init`, `git clone`, `git submodule` and `git worktree` write.
constexpr std::string_view kPlainSettings[] = {"core.repositoryformatversion",
                                               "core.filemode",
                                               "core.bare",
                                               "core.logallrefupdates",
                                               "core.ignorecase",
                                               "core.precomposeunicode",
                                               "core.symlinks",
                                               "remote.url",
                                               "remote.fetch",
                                               "remote.tagopt",
                                               "remote.promisor",
                                               "remote.partialclonefilter",
                                               "branch.remote",
                                               "branch.merge",
                                               "branch.rebase",
                                               "submodule.active",
                                               "submodule.url",
                                               "extensions.objectformat",
                                               "extensions.partialclone",
                                               "extensions.refstorage"};

// "[remote "origin"]" is "remote". nullopt: it is no such line.
std::optional<std::string> SectionOf(std::string_view line) {
  if (!line.starts_with('[') || !line.ends_with(']')) return std::nullopt;
  line = line.substr(1, line.size() - 2);
  if (line.find(']') != line.npos) return std::nullopt;  // a setting behind it
  // "[remote.origin]" is an old form of the same.
  return ToLower(line.substr(0, line.find_first_of(" \t\".")));
}

}  // namespace

std::optional<std::vector<GitSetting>> ReadGitConfig(std::string_view text) {
  std::vector<GitSetting> settings;
  std::string section;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.ends_with('\\')) return std::nullopt;
    if (line.front() == '[') {
      const std::optional<std::string> name = SectionOf(line);
      if (!name) return std::nullopt;
      section = *name;
      continue;
    }
    const size_t equals = std::min(line.find('='), line.size());
    const std::string_view value = line.substr(std::min(equals + 1, line.size()));
    settings.push_back({.section = section,
                        .key = ToLower(Trim(line.substr(0, equals))),
                        .value = std::string(Trim(value))});
  }
  return settings;
}

bool IsPlainGitConfig(std::string_view text,
                      absl::FunctionRef<bool(const std::string& value)> is_work_tree) {
  const auto settings = ReadGitConfig(text);
  return settings && std::all_of(settings->begin(), settings->end(), [&](const GitSetting& one) {
           const std::string name = one.section + "." + one.key;
           // "ext::command" is a URL to git.
           if (one.key == "url" && one.value.find("::") != one.value.npos) return false;
           if (name == "core.worktree") return is_work_tree(one.value);
           return std::find(std::begin(kPlainSettings), std::end(kPlainSettings), name) !=
                  std::end(kPlainSettings);
         });
}

}  // namespace cursorwire::sandbox
