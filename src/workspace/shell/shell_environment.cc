#include "workspace/shell/shell_environment.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/strings.h"

namespace cursorwire::workspace {
namespace {

constexpr std::string_view kLocalePrefix = "LC_";
constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";
constexpr size_t kMaxShownNameBytes = 100;

std::string_view NameOf(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

bool IsShown(std::string_view name) {
  const std::vector<std::string>& shown = CommandVariables();
  return name.starts_with(kLocalePrefix) ||
         std::find(shown.begin(), shown.end(), name) != shown.end();
}

// Source: POSIX, environment variables. Shells take no others.
bool IsName(std::string_view name) {
  return !name.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(name.front())) &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
         });
}

}  // namespace

// No URL that may have a password in it (proxies, registries, databases), no socket (ssh agent,
// desktop), no program that another one starts by itself (EDITOR, PAGER, LD_PRELOAD), and no token.
const std::vector<std::string>& CommandVariables() {
  static const std::vector<std::string> names = {
      "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR",
      // Language and time
      "LANG", "LANGUAGE", "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY",
      "LC_NUMERIC", "LC_TIME", "TZ",
      // Folders of the user's
      "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
      // C and C++
      "CC", "CXX", "AR", "LD", "CFLAGS", "CPPFLAGS", "CXXFLAGS", "LDFLAGS", "CPATH", "LIBRARY_PATH",
      "LD_LIBRARY_PATH", "PKG_CONFIG_PATH", "CMAKE_PREFIX_PATH", "CMAKE_GENERATOR", "VCPKG_ROOT",
      // Java and Android
      "JAVA_HOME", "JDK_HOME", "MAVEN_HOME", "GRADLE_HOME", "GRADLE_USER_HOME", "ANDROID_HOME",
      "ANDROID_SDK_ROOT", "ANDROID_NDK_HOME",
      // Python
      "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "PYENV_ROOT", "PYTHONPATH", "PYTHONHOME",
      // Go, Rust, Node, Ruby, .NET, Nix
      "GOPATH", "GOROOT", "GOBIN", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "NVM_DIR",
      "NODE_ENV", "NODE_PATH", "PNPM_HOME", "GEM_HOME", "GEM_PATH", "RBENV_ROOT", "DOTNET_ROOT",
      "NIX_PATH", "NIX_PROFILES",
      // Certificates of a company
      "SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE",
      "NODE_EXTRA_CA_CERTS"};
  return names;
}

absl::Status CheckVariable(std::string_view variable) {
  const std::string_view name = NameOf(variable);
  if (!IsName(name) || variable.find('\0') != variable.npos) {
    return InvalidArgument(absl::StrCat("'", Printable(name, kMaxShownNameBytes),
                                        "' is no name of a variable; give NAME or NAME=VALUE"));
  }
  if (name == "PWD" || name == "CURSORWIRE_COMMAND") {
    return InvalidArgument(
        absl::StrCat(ToAbsl(name), " is set for each command and cannot be given"));
  }
  return absl::OkStatus();
}

std::vector<std::string> ShellEnvironment(const char* const* variables,
                                          const std::vector<std::string>& wanted) {
  std::map<std::string, std::string, std::less<>> given;  // by name
  const auto is_wanted = [&wanted](std::string_view name) {
    return std::find(wanted.begin(), wanted.end(), name) != wanted.end();
  };
  given["PATH"] = kDefaultPath;
  given["TERM"] = "dumb";
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    const std::string_view variable = *variables;
    const std::string_view name = NameOf(variable);
    if (name.size() == variable.size() || !(IsShown(name) || is_wanted(name))) continue;
    given.insert_or_assign(std::string(name), std::string(variable.substr(name.size() + 1)));
  }
  for (const std::string_view variable : wanted) {
    const std::string_view name = NameOf(variable);
    if (name.size() == variable.size()) continue;
    given.insert_or_assign(std::string(name), std::string(variable.substr(name.size() + 1)));
  }
  std::vector<std::string> result;
  result.reserve(given.size());
  for (const auto& [name, value] : given) result.push_back(absl::StrCat(name, "=", value));
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

std::vector<std::string> OwnShellEnvironment(const std::vector<std::string>& wanted) {
  return ShellEnvironment(environ, wanted);
}

std::vector<std::string> WholeEnvironment() {
  std::vector<std::string> all;
  for (const char* const* variable = environ; *variable != nullptr; ++variable) {
    all.emplace_back(*variable);
  }
  return all;
}

}  // namespace cursorwire::workspace
