#ifndef CURSORWIRE_SRC_CLIENT_AUTH_BROWSER_LOGIN_H_
#define CURSORWIRE_SRC_CLIENT_AUTH_BROWSER_LOGIN_H_

#include <absl/status/statusor.h>

#include <string>

#include "cursorwire/id_source.h"

namespace cursorwire {

// One attempt to log in with a browser (PKCE, RFC 7636): the browser gets the hash of a secret, and
// who knows the secret gets the tokens. A value.
// Source: docs/protocol.md, tokens and login.
struct BrowserLogin {
  std::string uuid{};      // names the attempt
  std::string verifier{};  // the secret: 128 characters of base64url
};

//   kUnavailable  the system gives no random bytes
absl::StatusOr<BrowserLogin> NewBrowserLogin(IdSource& ids);

// The address for the browser. It tells nothing of the secret.
std::string LoginPage(const BrowserLogin& login);

// The path by which the API host is asked for the tokens. It has the secret in it: do not show it.
std::string PollPath(const BrowserLogin& login);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_AUTH_BROWSER_LOGIN_H_
