// Room: src/upstream/account
#ifndef CURSORWIRE_LOCAL_ACCOUNT_H_
#define CURSORWIRE_LOCAL_ACCOUNT_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/export.h"

namespace cursorwire {

// The account that a LocalUpstream plays, so that logins, renewals and refused tokens can be tested
// without the service. Its tokens are JSON Web Tokens without a signature, made up at each login
// and renewal. A value.
struct LocalAccount {
  // Claim `sub` of its tokens.
  std::string user = "local|user_1";
  std::chrono::seconds token_life{3600};
  // The HTTP statuses that each of these requests is answered with: the n-th by the n-th, and after
  // the last that again. 200: what the request is for.
  std::vector<int> poll{404, 200};  // GET /auth/poll: has the user logged in
  std::vector<int> exchange{200};   // POST /auth/exchange_user_api_key: a new token
  std::vector<int> usage{200};      // DashboardService/GetCurrentPeriodUsage
  // A renewal gives a new refresh token, too, and the old one is refused from then on.
  bool rotates = false;
  // Everything else wants a token of this account that has not ended; others are refused with 401.
  bool checks_tokens = false;
};

// Reads such an account from JSON: an object with the members above, by their names; `token_life`
// is in seconds.
//   kInvalidArgument  it is none; the message names the member
CURSORWIRE_EXPORT absl::StatusOr<LocalAccount> ParseLocalAccount(std::string_view text);

// How often each of them was asked. A value.
struct AccountCounts {
  size_t polls = 0;
  size_t exchanges = 0;
  size_t usages = 0;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_LOCAL_ACCOUNT_H_
