#include "workspace/shell/shell_environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace cursorwire::workspace {
namespace {

constexpr std::array<std::string_view, 9> kShown = {"PATH", "HOME",     "USER", "LOGNAME", "SHELL",
                                                    "LANG", "LANGUAGE", "TZ",   "TMPDIR"};
constexpr std::string_view kLocalePrefix = "LC_";
constexpr std::string_view kDefaultPath = "PATH=/usr/local/bin:/usr/bin:/bin";

bool IsShown(std::string_view name) {
  return name.starts_with(kLocalePrefix) ||
         std::find(kShown.begin(), kShown.end(), name) != kShown.end();
}

}  // namespace

std::vector<std::string> ShellEnvironment(const char* const* variables) {
  std::vector<std::string> result;
  bool has_path = false;
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    const std::string_view variable = *variables;
    const size_t equals = variable.find('=');
    if (equals == variable.npos || !IsShown(variable.substr(0, equals))) continue;
    has_path = has_path || variable.starts_with("PATH=");
    result.emplace_back(variable);
  }
  if (!has_path) result.emplace_back(kDefaultPath);
  result.emplace_back("TERM=dumb");
  return result;
}

std::string ShellOf(const std::vector<std::string>& environment) {
  constexpr std::string_view kName = "SHELL=";
  for (const std::string& variable : environment) {
    if (!variable.starts_with(kName)) continue;
    std::string file = variable.substr(kName.size());
    const std::string_view name = std::string_view(file).substr(file.rfind('/') + 1);
    const bool is_known = file.starts_with('/') && (name == "bash" || name == "zsh");
    if (is_known && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return "/bin/sh";
}

std::vector<std::string> OwnShellEnvironment() { return ShellEnvironment(environ); }

}  // namespace cursorwire::workspace
