// Room: src/client/auth
#ifndef CURSORWIRE_CREDENTIALS_H_
#define CURSORWIRE_CREDENTIALS_H_

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cursorwire/connect/channel_options.h"
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

// Where a client gets its token from, for programs that can renew it. Thread-safe. Credentials is
// one that knows the usual places.
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

// A place where the user's login may be. Source: docs/protocol.md, tokens and login.
enum class CredentialPlace {
  // CURSOR_ACCESS_TOKEN, else CURSOR_AUTH_TOKEN, else CURSOR_API_KEY, which is exchanged for a
  // token.
  kEnvironment,
  // This library's own file, which a login writes: DefaultCredentialsPath().
  kStore,
  // `auth.json` of the official CLI: in `cursor` of XDG_CONFIG_HOME, in ~/.config/cursor, or in
  // ~/.cursor.
  kCli,
  // The desktop application's, by CredentialsOptions::desktop.
  kDesktop,
};

// "env", "store", "cli", "desktop".
CURSORWIRE_EXPORT std::string_view NameOf(CredentialPlace place);

// Reads such a list: names with commas between them, in order, each once.
//   kInvalidArgument  another name, one that repeats, or none
CURSORWIRE_EXPORT absl::StatusOr<std::vector<CredentialPlace>> ParseCredentialPlaces(
    std::string_view list);

// `credentials.json` in `cursorwire` of XDG_CONFIG_HOME, which is ~/.config by default. Empty:
// neither that nor HOME is set. Source: XDG Base Directory Specification.
CURSORWIRE_EXPORT std::string DefaultCredentialsPath();

// What a login has left somewhere. A value.
struct FoundTokens {
  std::string access_token{};
  std::string refresh_token{};  // empty: there is none
  std::string origin{};         // where it was, for people

  friend bool operator==(const FoundTokens&, const FoundTokens&) = default;
};

struct CredentialsOptions {
  // Where a login is looked for, in this order.
  std::vector<CredentialPlace> places{CredentialPlace::kEnvironment, CredentialPlace::kStore,
                                      CredentialPlace::kCli};
  // As of ClientOptions: the host that renews tokens is that of `api_endpoint`.
  std::string endpoint{};
  std::string api_endpoint{};
  connect::ChannelOptions channel{};
  // Reads the login of the desktop application; nullopt: it has none. It is called by the functions
  // of Credentials, one call at a time. That login is used as it is, and not renewed: the
  // application does that, and would not know of it. Empty: place kDesktop has no login. See
  // desktop_login.h.
  std::function<absl::StatusOr<std::optional<FoundTokens>>()> desktop{};
};

// Whose login is used. Nothing of it is secret. A value.
struct Account {
  CredentialPlace place = CredentialPlace::kEnvironment;
  std::string origin{};  // name of the variable, or path of the file
  // Claim `sub` of the token; empty: the token does not tell.
  std::string user{};
  // nullopt: not known.
  std::optional<std::chrono::system_clock::time_point> expires_at{};
  bool is_renewable = false;
};

// The user's own login, found in the usual places. The first place that has one says whose account
// it is. Its token is used as long as it is good for kTokenMargin; else one of the same account in
// a later place, if there is such; else it is renewed, and what is new is written where the old one
// was. So a token of another account never takes its place: where the account cannot be renewed,
// that is an error. An access token of the environment is used as it is. A token whose whole life
// is shorter than kTokenMargin is used until it ends by the object that renewed it.
//
// Several threads and processes that want to renew a login at the same time do it once: they share
// the lock of its file. A refresh token that the service refuses is not tried again for ten
// minutes, by no process of the user. A file that others may read is refused.
//
// Thread-safe. It reads environment variables when it is made, and files when it is asked.
class CURSORWIRE_EXPORT Credentials final : public TokenSource {
 public:
  //   kInvalidArgument  no places; a bad endpoint or one that is not allowed
  static absl::StatusOr<std::shared_ptr<Credentials>> Create(CredentialsOptions options = {});
  ~Credentials() override;

  // Blocks for the network where the token must be renewed, 15 seconds at most for each request;
  // for another process that does so, 30 seconds at most; and for another thread. After `stop`, a
  // request that has begun has two seconds left, since its answer may be the only one that has the
  // new refresh token.
  //   kCancelled        `stop` was requested, and the token must be renewed
  //   kUnauthenticated  there is no login, or it has ended; its file is not private; another
  //                     account has logged in since the first call. The message says where, and
  //                     what to do.
  //   kUnavailable      the token must be renewed, and the service is not there
  //   kInternal         an answer of the service is not what it should be
  absl::StatusOr<AccessToken> GetToken(std::stop_token stop) override;

  // A thread asks for a new token, or keeps what came: a process that would end at once should wait
  // for that, for two seconds, say, since the old refresh token may be refused from now on.
  bool is_renewing() const;
  // Renews the login unless another process has done so.
  absl::StatusOr<AccessToken> ReplaceToken(const std::string& refused,
                                           std::stop_token stop) override;

  // Whose login GetToken() would use, without the network. Errors: as GetToken(). It does not say
  // whether the service takes it.
  absl::StatusOr<Account> account() const;

 private:
  class CURSORWIRE_HIDDEN Impl;
  explicit Credentials(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

// Removes the login of the store: true if there was one. Other places are left alone. Waits up to
// 30 seconds for a process that renews it.
//   kUnavailable  another process holds the file
//   and what the operating system says
CURSORWIRE_EXPORT absl::StatusOr<bool> LogOut(std::stop_token stop = {});

}  // namespace cursorwire

#endif  // CURSORWIRE_CREDENTIALS_H_
