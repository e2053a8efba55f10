#ifndef CURSORWIRE_SRC_CLIENT_AUTH_FOUND_LOGIN_H_
#define CURSORWIRE_SRC_CLIENT_AUTH_FOUND_LOGIN_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "client/auth/login_tokens.h"
#include "client/machine/process_environment.h"
#include "cursorwire/credentials.h"

namespace cursorwire {

// A login in one of the places. A value.
struct FoundLogin {
  CredentialPlace place = CredentialPlace::kEnvironment;
  std::string origin{};  // for people
  std::string file{};    // where its tokens are kept; empty: nowhere
  LoginTokens tokens{};

  bool is_renewable() const { return !RenewalSecrets().empty(); }
  // What may be exchanged for a new token, the best first.
  std::vector<std::string> RenewalSecrets() const;
  // The access token was given by the user, who knows best until when it is good.
  bool is_given() const;
  // It is good for a while.
  bool IsFresh(std::chrono::system_clock::time_point now) const;
  // It has not ended yet.
  bool IsAlive(std::chrono::system_clock::time_point now) const;
};

// What the environment says of a login: read once, since programs hide it afterwards. A value.
struct TokenVariables {
  std::string name{};  // of the variable; empty: there is none
  LoginTokens tokens{};
  std::string cache{};  // the file of tokens that an API key was exchanged for
};
TokenVariables ReadTokenVariables(const ProcessEnvironment& process_environment);

// All logins in these places, in their order. What is wrong with a place counts only if none before
// it has a login.
//   as ReadLogin()
absl::StatusOr<std::vector<FoundLogin>> FindLogins(const CredentialsOptions& options,
                                                   const TokenVariables& variables,
                                                   const ProcessEnvironment& process_environment);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_AUTH_FOUND_LOGIN_H_
