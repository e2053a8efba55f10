#include "client/token_cell.h"

#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "wire/json.h"

namespace cursorwire {

using std::chrono::system_clock;

namespace {

// Visible ASCII is allowed in a header. The token itself must not appear in an error message.
bool IsHeaderSafe(std::string_view token) {
  return std::all_of(token.begin(), token.end(), [](char c) { return c > 0x20 && c <= 0x7E; });
}

// What a source throws is an error of it.
absl::StatusOr<AccessToken> Ask(TokenSource& source, std::stop_token stop) {
  try {
    return source.GetToken(std::move(stop));
  } catch (const std::exception& error) {
    return LocalError(absl::StatusCode::kUnknown, error.what());
  } catch (...) {
    return LocalError(absl::StatusCode::kUnknown, "the token source threw something");
  }
}

}  // namespace

absl::Status CheckToken(const std::string& token) {
  if (token.empty()) {
    return LocalError(absl::StatusCode::kUnauthenticated,
                      "no access token: set CURSOR_ACCESS_TOKEN to the access token of your own "
                      "Cursor account (the Cursor CLI keeps it after its login)");
  }
  if (!IsHeaderSafe(token)) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      "the access token has characters that no token has (a line break?)");
  }
  return absl::OkStatus();
}

std::optional<system_clock::time_point> ExpiryOf(std::string_view token) {
  const size_t start = token.find('.');
  const size_t end = token.find('.', start == std::string_view::npos ? start : start + 1);
  if (start == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  std::string claims;
  if (!absl::WebSafeBase64Unescape(ToAbsl(token.substr(start + 1, end - start - 1)), &claims)) {
    return std::nullopt;
  }
  const absl::StatusOr<wire::Json> json = wire::ParseJson(claims);
  const wire::Json* expiry = json.ok() ? json->Find("exp") : nullptr;
  double seconds = 0;
  // Longer than any token lives, and within the range of the clock.
  constexpr double kMostSeconds = 9e9;
  const bool is_number = expiry != nullptr && expiry->kind == wire::Json::Kind::kNumber &&
                         absl::SimpleAtod(expiry->text, &seconds);
  if (!is_number || !(seconds >= 0 && seconds <= kMostSeconds)) return std::nullopt;
  return system_clock::time_point(std::chrono::seconds(static_cast<int64_t>(seconds)));
}

std::string TokenCell::token() const {
  const std::lock_guard lock(mutex_);
  return token_.token;
}

bool TokenCell::IsNearEnd(system_clock::time_point now) const {
  const std::lock_guard lock(mutex_);
  return source_ != nullptr && token_.expires_at && *token_.expires_at - now < kTokenMargin;
}

void TokenCell::Renew(std::stop_token stop) {
  const std::lock_guard renewing(renewing_);
  if (!IsNearEnd(system_clock::now())) return;  // another thread has done it
  absl::StatusOr<AccessToken> token = Ask(*source_, std::move(stop));
  if (!token.ok() || !CheckToken(token->token).ok()) return;
  const std::lock_guard lock(mutex_);
  token_ = *std::move(token);
}

}  // namespace cursorwire
