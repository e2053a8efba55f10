#include "client/auth/login_wait.h"

#include <optional>

#include "base/error.h"
#include "base/strings.h"
#include "client/auth/login_poll.h"

namespace cursorwire {
namespace {

absl::StatusOr<LoginTokens> TokensOfLogin(const std::string& body) {
  absl::StatusOr<LoginTokens> tokens = ParseLoginTokens(body);
  if (tokens.ok() && tokens->access_token.empty()) {
    return LocalError(absl::StatusCode::kInternal, "the service ends the login without a token");
  }
  return tokens;
}

}  // namespace

absl::StatusOr<LoginTokens> WaitForLogin(const LoginSteps& steps) {
  LoginPoll poll;
  LoginProgress progress;
  for (;;) {
    progress.delay = poll.delay();
    progress.failures = poll.failures();
    steps.progress(progress);
    if (!steps.pause(progress.delay)) return CancelledByCaller();
    const absl::StatusOr<HttpAnswer> answer = steps.ask();
    if (steps.is_stopped()) return CancelledByCaller();
    ++progress.questions;
    const auto status = answer.ok() ? std::optional<int>(answer->status) : std::nullopt;
    const absl::StatusOr<LoginPoll::Next> next = poll.OnAnswer(status);
    if (!next.ok()) {
      return answer.ok() ? next.status()
                         : Annotate(next.status(), ToStd(answer.status().message()));
    }
    if (*next == LoginPoll::Next::kTokens) return TokensOfLogin(answer->body);
  }
}

}  // namespace cursorwire
