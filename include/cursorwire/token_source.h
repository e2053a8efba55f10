// Room: src/client/auth
#ifndef CURSORWIRE_TOKEN_SOURCE_H_
#define CURSORWIRE_TOKEN_SOURCE_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "cursorwire/export.h"

namespace cursorwire {

// An access token of the user's own account, and until when it is good. A value.
struct AccessToken {
  std::string token{};
  // nullopt: not known; it counts as good.
  std::optional<std::chrono::system_clock::time_point> expires_at{};
};

// The end of a token that is a JSON Web Token: its claim `exp`. nullopt: it has none, or is of
// another kind. Nothing in it is verified. Source: RFC 7519, 4.1.4; docs/protocol.md, headers.
CURSORWIRE_EXPORT std::optional<std::chrono::system_clock::time_point> ExpiryOf(
    std::string_view token);

// Where a client gets its token from, for programs that can renew it. Thread-safe. Credentials
// (credentials.h) is one that knows the usual places.
class CURSORWIRE_EXPORT TokenSource {
 public:
  virtual ~TokenSource() = default;

  // A token that is good now, renewed if the one at hand ends soon. May block, for the network,
  // too. Called by Client::Create(); and on a thread of the client, if the token at hand ends
  // within kTokenMargin, when a turn starts and before a lost one is tried again. One call at a
  // time. If that fails, the former token is used. `stop` is requested when nobody waits for it any
  // more: return soon then.
  virtual absl::StatusOr<AccessToken> GetToken(std::stop_token stop) = 0;

  // The service refuses `refused`, which GetToken() gave: another token in its place. Called at
  // most once for each turn, on a thread of the client that may wait, and for each
  // Client::ListModels() and GetUsage(), on the thread that called these. One call at a time. An
  // error, or the same token again: the turn ends as the service refused it. By default it asks
  // GetToken().
  virtual absl::StatusOr<AccessToken> ReplaceToken(const std::string& /*refused*/,
                                                   std::stop_token stop) {
    return GetToken(std::move(stop));
  }
};

// A token that ends within that time is renewed before it is used again.
inline constexpr std::chrono::minutes kTokenMargin{5};

}  // namespace cursorwire

#endif  // CURSORWIRE_TOKEN_SOURCE_H_
