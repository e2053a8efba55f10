#ifndef CURSORWIRE_SRC_CLIENT_AUTH_TOKEN_EXCHANGE_H_
#define CURSORWIRE_SRC_CLIENT_AUTH_TOKEN_EXCHANGE_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <stop_token>
#include <string>

#include "client/auth/login_tokens.h"
#include "cursorwire/connect/call_target.h"

namespace cursorwire {

inline constexpr std::chrono::milliseconds kLastExchangeWait{2'000};

// Asks the API host for an access token in exchange for `secret`, a refresh token or an API key.
// The answer may have a new refresh token, too; without one the old one stays good. Waits at most
// 15 seconds, and kLastExchangeWait after `stop`: the answer may be the only one that has the new
// refresh token. No error has the secret in it.
//   kCancelled        `stop` was requested
//   kUnauthenticated  the service refuses the secret: it is no use to ask again
//   kUnavailable      the service is in trouble, or not there
//   kInternal         the answer has no access token
// Source: docs/protocol.md, tokens and login.
absl::StatusOr<LoginTokens> ExchangeForTokens(const connect::CallTarget& api,
                                              const std::string& secret,
                                              const std::stop_token& stop);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_AUTH_TOKEN_EXCHANGE_H_
