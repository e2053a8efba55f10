#include "client/auth/found_login.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/sha256.h"
#include "client/auth/login_file.h"
#include "client/machine/folders.h"
#include "cursorwire/credentials.h"

namespace cursorwire {

using std::chrono::system_clock;

namespace {

constexpr size_t kCacheNameDigits = 16;

using Logins = absl::StatusOr<std::vector<FoundLogin>>;

// One login for each file that has one, in order. What is wrong with a file counts only if none
// before it has a login.
Logins InFiles(CredentialPlace place, const std::vector<std::string>& paths) {
  std::vector<FoundLogin> found;
  for (const std::string& path : paths) {
    absl::StatusOr<std::optional<LoginTokens>> tokens = ReadLogin(path);
    if (!tokens.ok() && found.empty()) return tokens.status();
    if (!tokens.ok() || !tokens->has_value()) continue;
    found.push_back({.place = place, .origin = path, .file = path, .tokens = **std::move(tokens)});
  }
  return found;
}

Logins InEnvironment(const TokenVariables& variables) {
  if (variables.name.empty()) return std::vector<FoundLogin>();
  FoundLogin login{.place = CredentialPlace::kEnvironment,
                   .origin = absl::StrCat("environment variable ", variables.name),
                   .file = variables.cache,
                   .tokens = variables.tokens};
  if (!login.file.empty()) {
    const absl::StatusOr<std::optional<LoginTokens>> cached = ReadLogin(login.file);
    if (cached.ok() && cached->has_value()) login.tokens.access_token = (*cached)->access_token;
  }
  return std::vector<FoundLogin>{std::move(login)};
}

std::vector<std::string> CliPaths(const ProcessEnvironment& process_environment) {
  std::vector<std::string> paths;
  const std::string config = process_environment.variable("XDG_CONFIG_HOME");
  const std::string home = process_environment.variable("HOME");
  if (config.starts_with('/')) paths.push_back(config + "/cursor/auth.json");
  if (!home.starts_with('/')) return paths;
  if (config != home + "/.config") paths.push_back(home + "/.config/cursor/auth.json");
  paths.push_back(home + "/.cursor/auth.json");
  return paths;
}

Logins OnDesktop(const CredentialsOptions& options) {
  if (!options.desktop) return std::vector<FoundLogin>();
  absl::StatusOr<std::optional<FoundTokens>> tokens = options.desktop();
  if (tokens.status().code() == absl::StatusCode::kUnavailable) return tokens.status();
  if (!tokens.ok()) {  // there is no login, whatever keeps us from reading it
    return LocalError(
        absl::StatusCode::kUnauthenticated,
        absl::StrCat("the login of the desktop application: ", tokens.status().message()));
  }
  if (!tokens->has_value()) return std::vector<FoundLogin>();
  return std::vector<FoundLogin>{{.place = CredentialPlace::kDesktop,
                                  .origin = (*tokens)->origin,
                                  .tokens = {.access_token = (*tokens)->access_token,
                                             .refresh_token = (*tokens)->refresh_token}}};
}

Logins FindIn(CredentialPlace place, const CredentialsOptions& options,
              const TokenVariables& variables, const ProcessEnvironment& process_environment) {
  switch (place) {
    case CredentialPlace::kEnvironment:
      return InEnvironment(variables);
    case CredentialPlace::kStore: {
      const std::string folder = ConfigFolder(process_environment);
      if (folder.empty()) return std::vector<FoundLogin>();
      return InFiles(place, {folder + "/credentials.json"});
    }
    case CredentialPlace::kCli:
      return InFiles(place, CliPaths(process_environment));
    case CredentialPlace::kDesktop:
      return OnDesktop(options);
  }
  return std::vector<FoundLogin>();
}

}  // namespace

std::vector<std::string> FoundLogin::RenewalSecrets() const {
  std::vector<std::string> secrets;
  // The application renews its own login. Another refresh token, which it would not know, might
  // take the place of that.
  if (place == CredentialPlace::kDesktop) return secrets;
  // Some versions of the CLI keep the access token in the place of the refresh token, too, which
  // the service refuses.
  if (!tokens.refresh_token.empty() && tokens.refresh_token != tokens.access_token) {
    secrets.push_back(tokens.refresh_token);
  }
  if (!tokens.api_key.empty()) secrets.push_back(tokens.api_key);
  return secrets;
}

bool FoundLogin::is_given() const {
  return place == CredentialPlace::kEnvironment && tokens.api_key.empty();
}

bool FoundLogin::IsFresh(system_clock::time_point now) const {
  if (tokens.access_token.empty()) return false;
  const auto expiry = ExpiryOf(tokens.access_token);
  return is_given() || !expiry || *expiry - now >= kTokenMargin;
}

bool FoundLogin::IsAlive(system_clock::time_point now) const {
  if (tokens.access_token.empty()) return false;
  const auto expiry = ExpiryOf(tokens.access_token);
  return is_given() || !expiry || *expiry > now;
}

TokenVariables ReadTokenVariables(const ProcessEnvironment& process_environment) {
  for (const char* name : {"CURSOR_ACCESS_TOKEN", "CURSOR_AUTH_TOKEN"}) {
    std::string token = process_environment.variable(name);
    if (!token.empty()) return {.name = name, .tokens = {.access_token = std::move(token)}};
  }
  const char* name = "CURSOR_API_KEY";
  const std::string key = process_environment.variable(name);
  if (key.empty()) return {};
  TokenVariables variables{.name = name, .tokens = {.api_key = key}};
  if (const std::string folder = StateFolder(process_environment); !folder.empty()) {
    const std::string hash = absl::BytesToHexString(Sha256(key)).substr(0, kCacheNameDigits);
    variables.cache = absl::StrCat(folder, "/api-key-", hash, ".json");
  }
  return variables;
}

absl::StatusOr<std::vector<FoundLogin>> FindLogins(const CredentialsOptions& options,
                                                   const TokenVariables& variables,
                                                   const ProcessEnvironment& process_environment) {
  std::vector<FoundLogin> found;
  for (const CredentialPlace place : options.places) {
    Logins logins = FindIn(place, options, variables, process_environment);
    if (!logins.ok() && found.empty()) return logins.status();
    if (!logins.ok()) continue;
    std::move(logins->begin(), logins->end(), std::back_inserter(found));
  }
  return found;
}

}  // namespace cursorwire
