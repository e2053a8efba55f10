#include "client/auth/login_poll.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "base/error.h"

namespace cursorwire {
namespace {

constexpr int kOk = 200;
constexpr int kNotYet = 404;
constexpr int kRequestTimeout = 408;
constexpr int kTooManyRequests = 429;

// The request is at fault, and not the state of the server.
bool IsRefusal(int status) {
  return status >= 400 && status < 500 && status != kRequestTimeout && status != kTooManyRequests;
}

absl::Status Failure(std::optional<int> status) {
  if (!status) {
    return LocalError(absl::StatusCode::kUnavailable,
                      "the service does not answer whether you have logged in");
  }
  const auto code =
      IsRefusal(*status) ? absl::StatusCode::kPermissionDenied : absl::StatusCode::kUnavailable;
  return LocalError(code, absl::StrCat("the service ended the login with HTTP status ", *status));
}

}  // namespace

absl::StatusOr<LoginPoll::Next> LoginPoll::OnAnswer(std::optional<int> http_status) {
  ++answers_;
  if (http_status == kOk) return Next::kTokens;
  if (http_status == kNotYet) {
    failures_ = 0;
    delay_ = std::min(delay_ * 6 / 5, kMaxDelay);
  } else if (++failures_ == kMaxFailures) {
    return Failure(http_status);
  }
  if (answers_ == kMaxAnswers) {
    return LocalError(absl::StatusCode::kUnauthenticated,
                      "nobody logged in in time: start the login again");
  }
  return Next::kAskAgain;
}

}  // namespace cursorwire
