#ifndef CURSORWIRE_SRC_UPSTREAM_ACCOUNT_ACCOUNT_STATE_H_
#define CURSORWIRE_SRC_UPSTREAM_ACCOUNT_ACCOUNT_STATE_H_

#include <absl/base/thread_annotations.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cursorwire/local_upstream.h"

namespace cursorwire::upstream {

// What the service knows of its one account: the tokens that it gave, and how often it was asked.
// Thread-safe.
class AccountState {
 public:
  using Time = std::chrono::system_clock::time_point;

  // What a login or a renewal answers.
  struct Tokens {
    std::string access{};
    std::string refresh{};  // empty: the old one stays good
  };

  explicit AccountState(LocalAccount account) : account_(std::move(account)) {}

  // The HTTP status of the next answer of that kind.
  int NextPoll();
  int NextExchange();
  int NextUsage();
  AccountCounts counts() const;

  Tokens LogIn(Time now);
  // nullopt: `secret` is a refresh token that a newer one has taken the place of.
  std::optional<Tokens> Renew(const std::string& secret, Time now);
  // Whether requests with that `authorization` are served.
  bool Accepts(std::string_view authorization, Time now) const;

 private:
  std::string NewAccessToken(Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::string NewRefreshToken() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const LocalAccount account_;
  mutable std::mutex mutex_;
  AccountCounts counts_ ABSL_GUARDED_BY(mutex_);
  int tokens_made_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<std::string, Time, std::less<>> ends_ ABSL_GUARDED_BY(mutex_);  // by access token
  std::string refresh_token_ ABSL_GUARDED_BY(mutex_);                      // the one that is good
};

}  // namespace cursorwire::upstream

#endif  // CURSORWIRE_SRC_UPSTREAM_ACCOUNT_ACCOUNT_STATE_H_
