#ifndef CURSORWIRE_SRC_CLIENT_AUTH_LOGIN_TOKENS_H_
#define CURSORWIRE_SRC_CLIENT_AUTH_LOGIN_TOKENS_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

namespace cursorwire {

// What a login leaves, as the service answers it and the official CLI keeps it in its `auth.json`.
// A value.
// Source: docs/protocol.md, tokens and login.
struct LoginTokens {
  std::string access_token{};
  std::string refresh_token{};  // empty: the access token cannot be renewed
  std::string api_key{};        // in files of the CLI alone

  bool empty() const { return access_token.empty() && refresh_token.empty() && api_key.empty(); }
};

// A member that is absent, or null, is empty. Members that nobody knows are ignored.
//   kInternal  not a JSON object, or a token that is no string; the message never quotes the text
absl::StatusOr<LoginTokens> ParseLoginTokens(std::string_view json);

// As JSON, without what is empty, with a line break at its end. `former`: the text that it takes
// the place of; its other members stay, if it is a JSON object.
std::string WriteLoginTokens(const LoginTokens& tokens, std::string_view former = {});

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_AUTH_LOGIN_TOKENS_H_
