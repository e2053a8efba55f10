#ifndef CURSORWIRE_SRC_CLIENT_AUTH_ACCESS_TOKEN_H_
#define CURSORWIRE_SRC_CLIENT_AUTH_ACCESS_TOKEN_H_

#include <string>
#include <string_view>

namespace cursorwire {

// Claim `sub` of a token that is a JSON Web Token: whose it is. Empty: it does not tell. Nothing in
// it is verified. Source: RFC 7519, 4.1.2; docs/protocol.md, tokens and login.
std::string SubjectOf(std::string_view token);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_AUTH_ACCESS_TOKEN_H_
