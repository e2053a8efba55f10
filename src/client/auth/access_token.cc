#include "client/auth/access_token.h"

#include <absl/strings/escaping.h>
#include <absl/strings/numbers.h>

#include <optional>

#include "base/strings.h"
#include "cursorwire/credentials.h"
#include "wire/json.h"

namespace cursorwire {

using std::chrono::system_clock;

namespace {

// Longer than any token lives, and within the range of the clock.
constexpr double kMostSeconds = 9e9;

// The claims: the second of three parts.
std::optional<wire::Json> ClaimsOf(std::string_view token) {
  const size_t start = token.find('.');
  const size_t end = token.find('.', start == std::string_view::npos ? start : start + 1);
  if (start == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  std::string claims;
  if (!absl::WebSafeBase64Unescape(ToAbsl(token.substr(start + 1, end - start - 1)), &claims)) {
    return std::nullopt;
  }
  absl::StatusOr<wire::Json> json = wire::ParseJson(claims);
  if (!json.ok()) return std::nullopt;
  return *std::move(json);
}

}  // namespace

std::string SubjectOf(std::string_view token) {
  const std::optional<wire::Json> claims = ClaimsOf(token);
  return claims ? std::string(claims->FindString("sub")) : "";
}

std::optional<system_clock::time_point> ExpiryOf(std::string_view token) {
  const std::optional<wire::Json> claims = ClaimsOf(token);
  const wire::Json* expiry = claims ? claims->Find("exp") : nullptr;
  double seconds = 0;
  const bool is_number = expiry != nullptr && expiry->kind == wire::Json::Kind::kNumber &&
                         absl::SimpleAtod(expiry->text, &seconds);
  if (!is_number || !(seconds >= 0 && seconds <= kMostSeconds)) return std::nullopt;
  return system_clock::time_point(std::chrono::seconds(static_cast<int64_t>(seconds)));
}

}  // namespace cursorwire
