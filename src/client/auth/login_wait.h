#ifndef CURSORWIRE_SRC_CLIENT_AUTH_LOGIN_WAIT_H_
#define CURSORWIRE_SRC_CLIENT_AUTH_LOGIN_WAIT_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <functional>

#include "client/auth/http_answer.h"
#include "client/auth/login_tokens.h"
#include "cursorwire/login.h"

namespace cursorwire {

// What a login that waits does. Functions of its owner.
struct LoginSteps {
  // False: it is to stop.
  std::function<bool(std::chrono::milliseconds)> pause{};
  std::function<absl::StatusOr<HttpAnswer>()> ask{};
  std::function<bool()> is_stopped{};
  std::function<void(const LoginProgress&)> progress{};
};

// Pauses and asks by the rules of LoginPoll, until there are tokens. Has no clock.
//   as Login::Wait()
absl::StatusOr<LoginTokens> WaitForLogin(const LoginSteps& steps);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_AUTH_LOGIN_WAIT_H_
