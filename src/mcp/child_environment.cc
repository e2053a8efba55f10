#include "mcp/child_environment.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>

namespace cursorwire::mcp {
namespace {

constexpr std::string_view kHandedOn[] = {"HOME", "LOGNAME", "PATH",           "SHELL",
                                          "TERM", "USER",    "LANG",           "LC_ALL",
                                          "TZ",   "TMPDIR",  "XDG_RUNTIME_DIR"};
constexpr std::string_view kPathName = "PATH=";
constexpr const char* kUsualPath = "/usr/local/bin:/usr/bin:/bin";

bool IsHandedOn(std::string_view name) {
  return std::find(std::begin(kHandedOn), std::end(kHandedOn), name) != std::end(kHandedOn);
}

}  // namespace

std::vector<std::string> ChildEnvironment(const char* const* variables,
                                          const std::map<std::string, std::string>& added) {
  std::map<std::string, std::string> values = {{"PATH", kUsualPath}};
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    const std::string_view variable = *variables;
    const size_t equals = variable.find('=');
    if (equals == variable.npos || !IsHandedOn(variable.substr(0, equals))) continue;
    values[std::string(variable.substr(0, equals))] = variable.substr(equals + 1);
  }
  for (const auto& [name, value] : added) values[name] = value;
  std::vector<std::string> environment;
  environment.reserve(values.size());
  for (const auto& [name, value] : values) environment.push_back(absl::StrCat(name, "=", value));
  return environment;
}

std::string_view PathOf(const std::vector<std::string>& environment) {
  for (const std::string& variable : environment) {
    if (variable.starts_with(kPathName)) {
      return std::string_view(variable).substr(kPathName.size());
    }
  }
  return "";
}

}  // namespace cursorwire::mcp
