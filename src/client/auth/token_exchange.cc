#include "client/auth/token_exchange.h"

#include <absl/strings/str_cat.h>

#include "base/error.h"
#include "base/strings.h"
#include "client/auth/http_answer.h"
#include "client/auth/late_stop.h"
#include "cursorwire/connect/redactor.h"

namespace cursorwire {
namespace {

constexpr char kExchangePath[] = "/auth/exchange_user_api_key";
constexpr size_t kMaxQuotedBytes = 200;

constexpr int kExchanged = 200;

// The secret is at fault, and not the state of the service.
bool IsRefused(int status) { return status == 400 || status == 401 || status == 403; }

absl::Status ExchangeFailure(const HttpAnswer& answer) {
  const auto code = IsRefused(answer.status) ? absl::StatusCode::kUnauthenticated
                                             : absl::StatusCode::kUnavailable;
  std::string message = absl::StrCat("the service answers with HTTP status ", answer.status);
  if (!answer.body.empty()) {
    absl::StrAppend(&message, ": ", Printable(answer.body, kMaxQuotedBytes));
  }
  return LocalError(code, message);
}

// Whatever else keeps an answer away is trouble of the service or of the way to it.
absl::Status NoAnswer(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kCancelled) return status;
  return LocalError(absl::StatusCode::kUnavailable, ToStd(status.message()));
}

}  // namespace

absl::StatusOr<LoginTokens> ExchangeForTokens(const connect::CallTarget& api,
                                              const std::string& secret,
                                              const std::stop_token& stop) {
  const connect::Redactor redactor({secret});
  const HttpQuestion question{
      .path = kExchangePath,
      .headers = {{"authorization", "Bearer " + secret}, {"content-type", "application/json"}},
      .body = "{}"};
  const LateStop late(stop, kLastExchangeWait);
  const absl::StatusOr<HttpAnswer> answer = AskHttp(api, question, late.token());
  if (!answer.ok()) return redactor.Redact(NoAnswer(answer.status()));
  if (answer->status != kExchanged) return redactor.Redact(ExchangeFailure(*answer));
  absl::StatusOr<LoginTokens> tokens = ParseLoginTokens(answer->body);
  if (!tokens.ok()) return tokens.status();
  if (tokens->access_token.empty()) {
    return LocalError(absl::StatusCode::kInternal, "the service answers without an access token");
  }
  return tokens;
}

}  // namespace cursorwire
