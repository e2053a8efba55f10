#include "client/turn/token_cell.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <utility>

#include "base/error.h"

namespace cursorwire {

using std::chrono::system_clock;

namespace {

// Visible ASCII is allowed in a header. The token itself must not appear in an error message.
bool IsHeaderSafe(std::string_view token) {
  return std::all_of(token.begin(), token.end(), [](char c) { return c > 0x20 && c <= 0x7E; });
}

// `ask` asks a source; what that throws is an error of it.
absl::StatusOr<AccessToken> Ask(const std::function<absl::StatusOr<AccessToken>()>& ask) {
  try {
    return ask();
  } catch (const std::exception& error) {
    return LocalError(absl::StatusCode::kUnknown, error.what());
  } catch (...) {
    return LocalError(absl::StatusCode::kUnknown, "the token source threw something");
  }
}

}  // namespace

absl::Status CheckToken(const std::string& token) {
  if (token.empty()) {
    return LocalError(
        absl::StatusCode::kUnauthenticated,
        "no access token: log in with cursor-chat login, or set CURSOR_ACCESS_TOKEN to "
        "the access token of your own Cursor account");
  }
  if (!IsHeaderSafe(token)) {
    return LocalError(absl::StatusCode::kInvalidArgument,
                      "the access token has characters that no token has (a line break?)");
  }
  return absl::OkStatus();
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
  Take(Ask([&] { return source_->GetToken(std::move(stop)); }));
}

bool TokenCell::StartsRenewal(system_clock::time_point now) {
  if (!IsNearEnd(now) || stop_.stop_requested()) return false;
  const std::lock_guard lock(mutex_);
  if (renews_in_background_ || now < next_renewal_) return false;
  renews_in_background_ = true;
  return true;
}

void TokenCell::RenewInBackground() {
  Renew(stop_.get_token());
  const auto now = system_clock::now();
  const bool failed = IsNearEnd(now);
  const std::lock_guard lock(mutex_);
  renews_in_background_ = false;
  if (failed) next_renewal_ = now + kRenewalPause;
}

bool TokenCell::Replace(const std::string& refused, std::stop_token stop) {
  const std::lock_guard renewing(renewing_);
  if (token() != refused) return true;  // another thread has done it
  if (source_ == nullptr) return false;
  return Take(Ask([&] { return source_->ReplaceToken(refused, std::move(stop)); })) &&
         token() != refused;
}

bool TokenCell::Take(absl::StatusOr<AccessToken> token) {
  if (!token.ok() || !CheckToken(token->token).ok()) return false;
  const std::lock_guard lock(mutex_);
  token_ = *std::move(token);
  return true;
}

}  // namespace cursorwire
