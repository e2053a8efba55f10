#include "commands/account.h"

#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <cursorwire/credentials.h>
#include <cursorwire/login.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <string>

#include "commands/browser.h"
#include "common/json_line.h"
#include "common/visible_text.h"
#include "connect.h"
#include "output/notices.h"
#include "output/redacted_json.h"

namespace cursor_chat {
namespace {

using cursorwire::Account;
using nlohmann::json;

std::string UserOf(const Account& account) {
  return account.user.empty() ? "a user whom the token does not name"
                              : cursor_apps::ExactLine(account.user);
}

std::string Rfc3339(const Account& account) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromChrono(*account.expires_at),
                          absl::UTCTimeZone());
}

// "in 59m", or "2h ago".
std::string Distance(const Account& account) {
  const absl::Duration left = absl::FromChrono(*account.expires_at) - absl::Now();
  const auto rounded = [](absl::Duration time) {
    const absl::Duration unit = time >= absl::Hours(48)    ? absl::Hours(24)
                                : time >= absl::Minutes(1) ? absl::Minutes(1)
                                                           : absl::Seconds(1);
    if (unit == absl::Hours(24)) return std::to_string(absl::ToInt64Hours(time) / 24) + " days";
    return absl::FormatDuration(absl::Trunc(time, unit));
  };
  return left < absl::ZeroDuration() ? rounded(-left) + " ago" : "in " + rounded(left);
}

std::string Expiry(const Account& account) {
  const char* renewable = account.is_renewable ? "; it is renewed by itself" : "";
  if (!account.expires_at) return std::string("not known") + renewable;
  return Rfc3339(account) + " (" + Distance(account) + ")" + renewable;
}

std::string AccountText(const Account& account) {
  return UserOf(account) + "\n  source:  " + std::string(NameOf(account.place)) + ", " +
         cursor_apps::ExactLine(account.origin) + "\n  expires: " + Expiry(account) + "\n";
}

json AccountJson(const std::optional<Account>& account) {
  json object = {{"logged_in", account.has_value()},
                 {"source", nullptr},
                 {"user", nullptr},
                 {"expires_at", nullptr}};
  if (!account) return object;
  object["source"] = std::string(NameOf(account->place));
  object["origin"] = account->origin;
  if (!account->user.empty()) object["user"] = account->user;
  if (account->expires_at) object["expires_at"] = Rfc3339(*account);
  return object;
}

// Says on a terminal how long it waits; elsewhere once that it does.
class LoginDisplay {
 public:
  explicit LoginDisplay(Output& output) : output_(output) {}

  void Show(const cursorwire::LoginProgress& progress) {
    if (!on_terminal_ && progress.questions > 0) return;
    std::string line = "cursor-chat: waiting for the login in the browser; Ctrl-C gives up";
    if (!on_terminal_) return output_.WriteError(line + "\n");
    if (progress.questions > 0) line += ", asked " + std::to_string(progress.questions) + " times";
    if (progress.failures > 0) line += ", the service does not answer well";
    output_.WriteError("\r\033[K" + line);
    shown_ = true;
  }
  void Close() {
    if (shown_) output_.WriteError("\r\033[K");
  }

 private:
  Output& output_;
  const bool on_terminal_ = ::isatty(STDERR_FILENO) != 0;
  bool shown_ = false;
};

// For an API key, only the service can tell whose it is.
absl::StatusOr<Account> FindAccount(cursorwire::Credentials& credentials) {
  absl::StatusOr<Account> account = credentials.account();
  if (!account.ok() || !account->user.empty() || account->expires_at || !account->is_renewable) {
    return account;
  }
  if (absl::Status status = credentials.GetToken({}).status(); !status.ok()) return status;
  return credentials.account();
}

}  // namespace

absl::Status LogIn(const Options& options, cursor_apps::Interrupt& interrupt, Output& output) {
  const auto channel = MakeChannelOptions(options);
  if (!channel.ok()) return channel.status();
  absl::StatusOr<cursorwire::Login> login = cursorwire::Login::Start(
      {.endpoint = options.endpoint, .api_endpoint = options.api_endpoint, .channel = *channel});
  if (!login.ok()) return login.status();
  std::stop_source stop;
  const cursor_apps::Interrupt::Scope scope(interrupt, [&stop] { stop.request_stop(); });
  output.Write(login->url() + "\n");
  if (!options.no_browser && !OpenBrowser(login->url())) {
    PrintWarning(output, "no browser can be started: open the address above in one");
  }
  LoginDisplay display(output);
  const absl::StatusOr<Account> account =
      login->Wait(stop.get_token(), [&display](const auto& progress) { display.Show(progress); });
  display.Close();
  if (!account.ok()) return account.status();
  output.Write("Logged in as " + UserOf(*account) + "\n");
  return absl::OkStatus();
}

absl::Status LogOut(const Options& options, cursor_apps::Interrupt& interrupt, Output& output) {
  std::stop_source stop;
  const cursor_apps::Interrupt::Scope scope(interrupt, [&stop] { stop.request_stop(); });
  const absl::StatusOr<bool> removed = cursorwire::LogOut(stop.get_token());
  if (!removed.ok()) return removed.status();
  if (options.format != Format::kText) {
    output.Write(json{{"logged_out", *removed}}.dump() + "\n");
  } else {
    output.Write(*removed ? "Logged out\n" : "There was no login of cursor-chat\n");
  }
  return absl::OkStatus();
}

absl::Status PrintAccount(const Options& options, Output& output) {
  const auto credentials = FindCredentials(options);
  if (!credentials.ok()) return credentials.status();
  const absl::StatusOr<Account> account = FindAccount(**credentials);
  const bool as_json = options.format != Format::kText;
  if (as_json && (account.ok() || absl::IsUnauthenticated(account.status()))) {
    json object = AccountJson(account.ok() ? std::optional<Account>(*account) : std::nullopt);
    RedactStrings(output.redactor(), object);
    output.Write(cursor_apps::JsonLine(object) + "\n");
  } else if (account.ok()) {
    output.Write(AccountText(*account));
  }
  return account.status();
}

}  // namespace cursor_chat
