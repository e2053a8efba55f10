#ifndef CURSORWIRE_SRC_SANDBOX_GIT_CONFIG_H_
#define CURSORWIRE_SRC_SANDBOX_GIT_CONFIG_H_

#include <absl/functional/function_ref.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::sandbox {

// A line of git's settings. A value.
struct GitSetting {
  std::string section{};  // in lower case, without what is in quotes: "remote"
  std::string key{};      // in lower case
  std::string value{};
};

// The settings of a file as `git init` and `git clone` write it. nullopt: it has something else,
// such as a value that goes on in the next line.
std::optional<std::vector<GitSetting>> ReadGitConfig(std::string_view text);

// Whether the file has nothing but what `git init` and `git clone` write, none of which runs a
// program. Others may: `core.fsmonitor`, `alias`, `include`, a filter. `is_work_tree` is asked
// about a value of `core.worktree`, which `git submodule` writes: git changes files there.
bool IsPlainGitConfig(std::string_view text,
                      absl::FunctionRef<bool(const std::string& value)> is_work_tree);

}  // namespace cursorwire::sandbox

#endif  // CURSORWIRE_SRC_SANDBOX_GIT_CONFIG_H_
