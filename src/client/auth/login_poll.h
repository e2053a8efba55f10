#ifndef CURSORWIRE_SRC_CLIENT_AUTH_LOGIN_POLL_H_
#define CURSORWIRE_SRC_CLIENT_AUTH_LOGIN_POLL_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <optional>

namespace cursorwire {

// Decides how often, and for how long, the service is asked whether the user has logged in. Order
// of calls: wait for delay(), ask, OnAnswer(); again until that gives kTokens or an error. It does
// no I/O and has no clock. Not thread-safe.
// Source: docs/protocol.md, tokens and login.
class LoginPoll {
 public:
  static constexpr std::chrono::seconds kAnswerTimeout{15};  // for one answer
  static constexpr std::chrono::milliseconds kFirstDelay{1000};
  static constexpr std::chrono::milliseconds kMaxDelay{10'000};
  static constexpr int kMaxAnswers = 150;
  static constexpr int kMaxFailures = 3;  // in a row

  enum class Next { kAskAgain, kTokens };

  // Before the service is asked next.
  std::chrono::milliseconds delay() const { return delay_; }

  // The last answers that were none, in a row.
  int failures() const { return failures_; }

  // `http_status`: nullopt if no answer came. kTokens: the body has the tokens.
  //   kPermissionDenied  the service refuses the attempt
  //   kUnavailable       no answer, or that of a server in trouble, kMaxFailures times in a row
  //   kUnauthenticated   nobody has logged in after kMaxAnswers
  absl::StatusOr<Next> OnAnswer(std::optional<int> http_status);

 private:
  std::chrono::milliseconds delay_ = kFirstDelay;
  int answers_ = 0;
  int failures_ = 0;  // in a row
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_AUTH_LOGIN_POLL_H_
