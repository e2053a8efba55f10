// Room: src/client/auth
#ifndef CURSORWIRE_LOGIN_H_
#define CURSORWIRE_LOGIN_H_

#include <absl/status/statusor.h>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "cursorwire/connect/channel_options.h"
#include "cursorwire/credentials.h"
#include "cursorwire/export.h"
#include "cursorwire/id_source.h"

namespace cursorwire {

// How a login reaches the service: as of ClientOptions. A value.
struct LoginOptions {
  std::string endpoint{};
  std::string api_endpoint{};
  connect::ChannelOptions channel{};
  // Where the id of the login comes from; empty: random ones.
  std::shared_ptr<IdSource> ids{};
};

// How a login goes on: told before each pause. A value.
struct LoginProgress {
  int questions = 0;  // that the service was asked so far
  int failures = 0;   // of the last of them, in a row: no answer, or that of a service in trouble
  std::chrono::milliseconds delay{};
};

// One login with the user's browser. Order: Start(), let the user open url(), Wait(). An object
// waits once. Thread-compatible.
// Source: docs/protocol.md, tokens and login.
class CURSORWIRE_EXPORT Login {
 public:
  // Without the network.
  //   kUnauthenticated    the file of the store may be read by others
  //   kFailedPrecondition  there is no place for that file: HOME is not set
  //   kInvalidArgument     a bad endpoint or one that is not allowed
  //   kUnavailable         the system gives no random bytes
  static absl::StatusOr<Login> Start(LoginOptions options = {});
  ~Login();
  Login(Login&&) noexcept;
  Login& operator=(Login&&) noexcept;

  // The page for the browser. Nothing of it is secret to the user's own machine.
  const std::string& url() const;

  // Asks the service again and again until the user has logged in, at most 150 times, and keeps the
  // tokens in the store, in place of those of a former login. `progress` is called on this thread.
  //   kPermissionDenied  the service refuses the login
  //   kUnauthenticated   nobody has logged in after the last question
  //   kUnavailable       no answer, or that of a service in trouble, three times in a row
  //   kCancelled         `stop` was requested
  //   kInternal          the answer has no tokens
  //   and what the operating system says of the file
  absl::StatusOr<Account> Wait(const std::stop_token& stop,
                               const std::function<void(const LoginProgress&)>& progress = {});

 private:
  class CURSORWIRE_HIDDEN Impl;
  explicit Login(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_LOGIN_H_
