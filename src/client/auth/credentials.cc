#include "cursorwire/credentials.h"

#include <absl/base/thread_annotations.h>
#include <absl/cleanup/cleanup.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/time/time.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "client/auth/access_token.h"
#include "client/auth/failed_tokens.h"
#include "client/auth/found_login.h"
#include "client/auth/login_file.h"
#include "client/auth/token_exchange.h"
#include "client/machine/endpoint.h"
#include "client/machine/folders.h"
#include "cursorwire/connect/channel.h"
#include "files/pause.h"

namespace cursorwire {

using std::chrono::system_clock;

namespace {

// Between two looks whether another thread has renewed a login.
constexpr std::chrono::milliseconds kRenewalLook{20};

struct PlaceName {
  CredentialPlace place;
  std::string_view name;
};

constexpr PlaceName kPlaceNames[] = {{CredentialPlace::kEnvironment, "env"},
                                     {CredentialPlace::kStore, "store"},
                                     {CredentialPlace::kCli, "cli"},
                                     {CredentialPlace::kDesktop, "desktop"}};

absl::Status LoginError(std::string_view what) {
  return LocalError(absl::StatusCode::kUnauthenticated, what);
}

absl::Status NotWaitedFor() {
  return LocalError(absl::StatusCode::kCancelled, "nobody waits for the token any more");
}

absl::Status NoLogin() {
  return LoginError(
      "no access token: log in with cursor-chat login, or set CURSOR_ACCESS_TOKEN to the access "
      "token of your own Cursor account");
}

std::string HowToMend(const FoundLogin& login) {
  switch (login.place) {
    case CredentialPlace::kEnvironment:
      return "set another one";
    case CredentialPlace::kStore:
      return "log in again with cursor-chat login";
    case CredentialPlace::kCli:
      return "log in again with the Cursor CLI, or with cursor-chat login";
    case CredentialPlace::kDesktop:
      return "log in again in the Cursor application, or with cursor-chat login";
  }
  return "";
}

absl::Status Ended(const FoundLogin& login) {
  std::string time;
  if (const auto expiry = ExpiryOf(login.tokens.access_token)) {
    time = absl::StrCat(" at ", absl::FormatTime(absl::RFC3339_sec, absl::FromChrono(*expiry),
                                                 absl::UTCTimeZone()));
  }
  return LoginError(absl::StrCat("the login of ", login.origin, " has ended", time,
                                 " and cannot be renewed: ", HowToMend(login)));
}

absl::Status NotRenewed(const FoundLogin& login, const absl::Status& why) {
  const std::string mend =
      why.code() == absl::StatusCode::kUnauthenticated ? absl::StrCat("; ", HowToMend(login)) : "";
  return LocalError(why.code(), absl::StrCat("the login of ", login.origin,
                                             " is not renewed: ", why.message(), mend));
}

AccessToken Give(const std::string& token) {
  return {.token = token, .expires_at = ExpiryOf(token)};
}

}  // namespace

std::string_view NameOf(CredentialPlace place) {
  for (const PlaceName& entry : kPlaceNames) {
    if (entry.place == place) return entry.name;
  }
  return "";
}

absl::StatusOr<std::vector<CredentialPlace>> ParseCredentialPlaces(std::string_view list) {
  std::vector<CredentialPlace> places;
  for (const absl::string_view word : absl::StrSplit(ToAbsl(list), ',')) {
    const auto* found =
        std::find_if(std::begin(kPlaceNames), std::end(kPlaceNames),
                     [word](const PlaceName& entry) { return entry.name == ToStd(word); });
    if (found == std::end(kPlaceNames)) {
      return InvalidArgument(absl::StrCat("no place of credentials is called '",
                                          Printable(ToStd(word), 40),
                                          "': there are env, store, cli and desktop"));
    }
    if (std::find(places.begin(), places.end(), found->place) != places.end()) {
      return InvalidArgument(absl::StrCat("'", word, "' stands twice in the list"));
    }
    places.push_back(found->place);
  }
  return places;
}

std::string DefaultCredentialsPath() {
  const std::string folder = ConfigFolder(ReadProcessEnvironment());
  return folder.empty() ? "" : folder + "/credentials.json";
}

class Credentials::Impl {
 public:
  Impl(CredentialsOptions options, std::string api_url, ProcessEnvironment process_environment)
      : options_(std::move(options)),
        api_url_(std::move(api_url)),
        process_environment_(std::move(process_environment)),
        variables_(ReadTokenVariables(process_environment_)),
        failed_(FailedPath(process_environment_)) {}

  // `refused`: a token that must not be given; empty: any may.
  absl::StatusOr<AccessToken> Get(const std::string& refused, const std::stop_token& stop) {
    std::unique_lock lock(mutex_, std::defer_lock);
    while (!lock.try_lock()) {
      if (!PauseFor(kRenewalLook, stop)) return NotWaitedFor();
    }
    const absl::StatusOr<std::vector<FoundLogin>> logins = Find();
    if (!logins.ok()) return logins.status();
    if (logins->empty()) return NoLogin();
    const FoundLogin& login = logins->front();
    if (absl::Status status = CheckAccount(login.tokens.access_token); !status.ok()) return status;
    const auto now = system_clock::now();
    for (const FoundLogin& other : *logins) {
      if (!IsSameAccount(login, other) || other.tokens.access_token == refused) continue;
      if (IsGood(other, now)) return Take(other.tokens.access_token);
    }
    absl::StatusOr<std::string> token = Renew(login, refused, stop);
    if (token.ok()) return Take(*token);
    const bool still_good = login.IsAlive(now) && login.tokens.access_token != refused;
    if (still_good) return Take(login.tokens.access_token);
    return token.status();
  }

  bool is_renewing() const { return renewing_; }

  absl::StatusOr<Account> GetAccount() const {
    const absl::StatusOr<std::vector<FoundLogin>> logins = Find();
    if (!logins.ok()) return logins.status();
    if (logins->empty()) return NoLogin();
    const FoundLogin& login = logins->front();
    if (!login.IsAlive(system_clock::now()) && !login.is_renewable()) return Ended(login);
    return Account{.place = login.place,
                   .origin = login.origin,
                   .user = SubjectOf(login.tokens.access_token),
                   .expires_at = ExpiryOf(login.tokens.access_token),
                   .is_renewable = login.is_renewable()};
  }

 private:
  absl::StatusOr<std::vector<FoundLogin>> Find() const {
    const std::lock_guard lock(find_mutex_);
    return FindLogins(options_, variables_, process_environment_);
  }

  static std::string FailedPath(const ProcessEnvironment& process_environment) {
    const std::string folder = StateFolder(process_environment);
    return folder.empty() ? "" : folder + "/failed-refresh.json";
  }

  static bool IsSameAccount(const FoundLogin& one, const FoundLogin& other) {
    if (one.origin == other.origin) return true;
    const std::string subject = SubjectOf(one.tokens.access_token);
    return !subject.empty() && subject == SubjectOf(other.tokens.access_token);
  }

  // Whether the token is to be used as it is. One that lives no longer than the margin would be
  // renewed before each use: if it came to this object, it is used until it ends. One that had
  // ended when it came shows that the clock of this machine is wrong: it is used until it is
  // refused.
  bool IsGood(const FoundLogin& login, system_clock::time_point now) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (login.IsFresh(now)) return true;
    if (login.tokens.access_token != received_token_) return false;
    const auto expiry = ExpiryOf(received_token_);
    if (!expiry || *expiry - received_at_ >= kTokenMargin) return false;
    return *expiry <= received_at_ || now < *expiry;
  }

  absl::Status CheckAccount(const std::string& token) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const std::string subject = SubjectOf(token);
    if (subject.empty() || user_.empty() || subject == user_) return absl::OkStatus();
    return LoginError("another account has logged in meanwhile: start again to use it");
  }

  absl::StatusOr<AccessToken> Take(const std::string& token) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (absl::Status status = CheckAccount(token); !status.ok()) return status;
    if (user_.empty()) user_ = SubjectOf(token);
    return Give(token);
  }

  // A new access token for the account of `login`.
  absl::StatusOr<std::string> Renew(const FoundLogin& login, const std::string& refused,
                                    const std::stop_token& stop)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (!login.is_renewable()) return Ended(login);
    if (login.file.empty()) return RenewWithoutFile(login, refused, stop);
    // A file that is gone is that of a login that somebody has ended.
    const bool is_cache = login.place == CredentialPlace::kEnvironment;
    const auto missing = is_cache ? LockedFile::Missing::kMake : LockedFile::Missing::kRefuse;
    absl::StatusOr<HeldLogin> held = HeldLogin::Open(login.file, missing, stop);
    if (absl::IsNotFound(held.status())) return Ended(login);
    if (!held.ok()) return NotRenewed(login, held.status());
    return RenewFile(login, *held, refused, stop);
  }

  // An API key where there is no place for files.
  absl::StatusOr<std::string> RenewWithoutFile(FoundLogin login, const std::string& refused,
                                               const std::stop_token& stop)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    login.tokens.access_token = kept_token_;
    if (IsGood(login, system_clock::now()) && kept_token_ != refused) return kept_token_;
    const absl::StatusOr<LoginTokens> tokens = Exchange(login, stop);
    if (!tokens.ok()) return NotRenewed(login, tokens.status());
    kept_token_ = tokens->access_token;
    return kept_token_;
  }

  // Holding the file: another process may have renewed it before.
  absl::StatusOr<std::string> RenewFile(FoundLogin login, HeldLogin& held,
                                        const std::string& refused, const std::stop_token& stop)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const bool is_cache = login.place == CredentialPlace::kEnvironment;
    const std::string former = std::exchange(login.tokens.access_token, held.tokens().access_token);
    if (!is_cache) login.tokens = held.tokens();
    // Then it has just come, however short its life is.
    const bool renewed_meanwhile = login.tokens.access_token != former &&
                                   login.tokens.access_token != refused &&
                                   login.IsAlive(system_clock::now());
    if (renewed_meanwhile) return login.tokens.access_token;
    if (!login.is_renewable()) return Ended(login);
    // Before a refresh token is spent: can its successor be kept?
    if (absl::Status status = held.Save(held.tokens()); !status.ok()) {
      return NotRenewed(login, status);
    }
    renewing_ = true;
    const absl::Cleanup done = [this] { renewing_ = false; };
    const absl::StatusOr<LoginTokens> tokens = Exchange(login, stop);
    if (!tokens.ok()) return NotRenewed(login, tokens.status());
    LoginTokens kept = is_cache ? LoginTokens() : held.tokens();
    kept.access_token = tokens->access_token;
    if (!is_cache && !tokens->refresh_token.empty()) kept.refresh_token = tokens->refresh_token;
    // It could be written a moment ago. If it cannot now, this token is good all the same, and the
    // next renewal will say what is wrong.
    (void)held.Save(kept);
    return kept.access_token;
  }

  absl::StatusOr<LoginTokens> Exchange(const FoundLogin& login, const std::stop_token& stop)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    absl::StatusOr<LoginTokens> tokens =
        LoginError("the service refused to renew it a few minutes ago");
    for (const std::string& secret : login.RenewalSecrets()) {
      if (failed_.Has(secret, system_clock::now())) continue;
      tokens = ExchangeOne(secret, stop);
      if (tokens.status().code() != absl::StatusCode::kUnauthenticated) break;
      failed_.Add(secret, system_clock::now());
    }
    if (!tokens.ok()) return tokens;
    const std::string former = SubjectOf(login.tokens.access_token);
    const std::string now = SubjectOf(tokens->access_token);
    if (!former.empty() && !now.empty() && former != now) {
      return LocalError(absl::StatusCode::kInternal, "the service gave a token of another account");
    }
    received_token_ = tokens->access_token;
    received_at_ = system_clock::now();
    return tokens;
  }

  absl::StatusOr<LoginTokens> ExchangeOne(const std::string& secret,
                                          const std::stop_token& stop) const {
    absl::StatusOr<connect::Channel> api = connect::Channel::Create(api_url_, options_.channel);
    if (!api.ok()) return api.status();
    return ExchangeForTokens(*api, secret, stop);
  }

  const CredentialsOptions options_;
  const std::string api_url_;
  const ProcessEnvironment process_environment_;
  const TokenVariables variables_;
  mutable std::mutex find_mutex_;             // held while the places are looked at
  std::mutex mutex_;                          // held while a login is renewed: others wait for that
  std::string user_ ABSL_GUARDED_BY(mutex_);  // claim `sub` of the first token; empty: unknown
  std::string kept_token_ ABSL_GUARDED_BY(mutex_);  // see RenewWithoutFile()
  std::string received_token_
      ABSL_GUARDED_BY(mutex_);  // of the last renewal; empty: there was none
  system_clock::time_point received_at_ ABSL_GUARDED_BY(mutex_){};
  std::atomic<bool> renewing_ = false;  // what is in a file
  FailedTokens failed_ ABSL_GUARDED_BY(mutex_);
};

absl::StatusOr<std::shared_ptr<Credentials>> Credentials::Create(CredentialsOptions options) {
  if (options.places.empty()) return InvalidArgument("credentials need at least one place");
  ProcessEnvironment process_environment = ReadProcessEnvironment();
  absl::StatusOr<std::string> api_url =
      ResolveApiUrl(options.endpoint, options.api_endpoint, process_environment);
  if (!api_url.ok()) return api_url.status();
  KeepTokensReadableHereAlone(options.channel);
  return std::shared_ptr<Credentials>(new Credentials(std::make_unique<Impl>(
      std::move(options), *std::move(api_url), std::move(process_environment))));
}

Credentials::Credentials(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Credentials::~Credentials() = default;

absl::StatusOr<AccessToken> Credentials::GetToken(std::stop_token stop) {
  return impl_->Get("", stop);
}

absl::StatusOr<AccessToken> Credentials::ReplaceToken(const std::string& refused,
                                                      std::stop_token stop) {
  return impl_->Get(refused, stop);
}

bool Credentials::is_renewing() const { return impl_->is_renewing(); }

absl::StatusOr<Account> Credentials::account() const { return impl_->GetAccount(); }

absl::StatusOr<bool> LogOut(std::stop_token stop) {
  const std::string path = DefaultCredentialsPath();
  if (path.empty()) return false;
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) return false;
  absl::StatusOr<HeldLogin> held = HeldLogin::Open(path, LockedFile::Missing::kRefuse, stop);
  if (!held.ok()) return held.status();
  const bool had_login = !held->tokens().empty();
  held->Remove();
  return had_login;
}

}  // namespace cursorwire
