#include "upstream/account/account_state.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "wire/json.h"

namespace cursorwire::upstream {
namespace {

constexpr std::string_view kRefreshPrefix = "local-refresh-";
constexpr std::string_view kBearer = "Bearer ";
// {"alg":"none"}
constexpr char kTokenHead[] = "eyJhbGciOiJub25lIn0";

int StatusOf(const std::vector<int>& statuses, size_t asked) {
  return statuses.empty() ? 200 : statuses[std::min(asked, statuses.size() - 1)];
}

}  // namespace

int AccountState::NextPoll() {
  const std::lock_guard lock(mutex_);
  return StatusOf(account_.poll, counts_.polls++);
}

int AccountState::NextExchange() {
  const std::lock_guard lock(mutex_);
  return StatusOf(account_.exchange, counts_.exchanges++);
}

int AccountState::NextUsage() {
  const std::lock_guard lock(mutex_);
  return StatusOf(account_.usage, counts_.usages++);
}

AccountCounts AccountState::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

AccountState::Tokens AccountState::LogIn(Time now) {
  const std::lock_guard lock(mutex_);
  return {.access = NewAccessToken(now), .refresh = NewRefreshToken()};
}

std::optional<AccountState::Tokens> AccountState::Renew(const std::string& secret, Time now) {
  const std::lock_guard lock(mutex_);
  const bool is_refresh_token = secret.starts_with(kRefreshPrefix);
  if (account_.rotates && is_refresh_token && !refresh_token_.empty() && secret != refresh_token_) {
    return std::nullopt;
  }
  Tokens tokens{.access = NewAccessToken(now)};
  if (account_.rotates && is_refresh_token) tokens.refresh = NewRefreshToken();
  return tokens;
}

bool AccountState::Accepts(std::string_view authorization, Time now) const {
  if (!account_.checks_tokens) return true;
  if (!authorization.starts_with(kBearer)) return false;
  const std::lock_guard lock(mutex_);
  const auto found = ends_.find(authorization.substr(kBearer.size()));
  return found != ends_.end() && now < found->second;
}

std::string AccountState::NewAccessToken(Time now) {
  const Time end = now + account_.token_life;
  std::string claims = R"({"sub":)";
  wire::AppendJsonString(account_.user, claims);
  absl::StrAppend(&claims, R"(,"exp":)",
                  std::chrono::duration_cast<std::chrono::seconds>(end.time_since_epoch()).count(),
                  R"(,"jti":)", ++tokens_made_, "}");
  std::string token = absl::StrCat(kTokenHead, ".", absl::WebSafeBase64Escape(claims), ".local");
  ends_[token] = end;
  return token;
}

std::string AccountState::NewRefreshToken() {
  refresh_token_ = absl::StrCat(std::string(kRefreshPrefix), ++tokens_made_);
  return refresh_token_;
}

}  // namespace cursorwire::upstream
