#include "agent/events/remedy.h"

#include <cstdint>
#include <optional>

#include "agent/events/cursor_error.h"
#include "base/strings.h"

namespace cursorwire::agent {
namespace {

// Source: docs/protocol.md, end of a run; the enum's numbers and names: the extraction of August
// 2026.
struct KnownError {
  uint64_t error;
  std::string_view name;
  Remedy remedy;
};
constexpr KnownError kKnownErrors[] = {
    {1, "ERROR_BAD_API_KEY", Remedy::kNewToken},
    {2, "ERROR_NOT_LOGGED_IN", Remedy::kNewToken},
    {3, "ERROR_INVALID_AUTH_ID", Remedy::kNewToken},
    {5, "ERROR_BAD_MODEL_NAME", Remedy::kOtherModel},
    {7, "ERROR_FREE_USER_RATE_LIMIT_EXCEEDED", Remedy::kHigherLimit},
    {8, "ERROR_PRO_USER_RATE_LIMIT_EXCEEDED", Remedy::kHigherLimit},
    {9, "ERROR_FREE_USER_USAGE_LIMIT", Remedy::kHigherLimit},
    {10, "ERROR_PRO_USER_USAGE_LIMIT", Remedy::kHigherLimit},
    {11, "ERROR_AUTH_TOKEN_NOT_FOUND", Remedy::kNewToken},
    {12, "ERROR_AUTH_TOKEN_EXPIRED", Remedy::kNewToken},
    {18, "ERROR_AGENT_REQUIRES_LOGIN", Remedy::kNewToken},
    {22, "ERROR_GENERIC_RATE_LIMIT_EXCEEDED", Remedy::kHigherLimit},
    {30, "ERROR_OUTDATED_CLIENT", Remedy::kNewerClient},
    {38, "ERROR_UNAUTHORIZED", Remedy::kNewToken},
    {43, "ERROR_CONVERSATION_TOO_LONG", Remedy::kNewConversation},
    {44, "ERROR_USAGE_PRICING_REQUIRED", Remedy::kHigherLimit},
    {45, "ERROR_USAGE_PRICING_REQUIRED_CHANGEABLE", Remedy::kHigherLimit},
    {50, "ERROR_RATE_LIMITED", Remedy::kHigherLimit},
    {51, "ERROR_RATE_LIMITED_CHANGEABLE", Remedy::kHigherLimit},
    {57, "ERROR_PROVIDER_ERROR", Remedy::kTryAgain},
    {58, "ERROR_MODEL_BLOCKED", Remedy::kOtherModel},
    {61, "ERROR_MODEL_NO_LONGER_SUPPORTED", Remedy::kOtherModel},
};

std::string_view TextOf(Remedy remedy) {
  switch (remedy) {
    case Remedy::kNone:
      return "";
    case Remedy::kOtherModel:
      return "choose a model that the service lists for this account";
    case Remedy::kNewToken:
      return "the access token is refused: sign in again, and take the new one "
             "(CURSOR_ACCESS_TOKEN)";
    case Remedy::kHigherLimit:
      return "a limit of the account: wait until it is renewed, or change the plan or the model";
    case Remedy::kNewConversation:
      return "start a new conversation";
    case Remedy::kTryAgain:
      return "try again later";
    case Remedy::kNewerClient:
      return "the service wants a newer client version: update the official CLI, whose version is "
             "used where it is installed, or name a newer one with CURSORWIRE_CLIENT_VERSION or "
             "--client-version (ClientOptions::client_version)";
  }
  return "";
}

// How a load balancer answers a request that is not HTTP/2. Source: docs/protocol.md, endpoint.
constexpr int kLoadBalancerStatus = 464;

Remedy RemedyOfDetails(const CursorError& details) {
  for (const KnownError& known : kKnownErrors) {
    if (known.error == details.number || known.name == details.name) return known.remedy;
  }
  return Remedy::kNone;
}

bool IsHttpError(const connect::ErrorInfo& info) {
  return info.http_status != 0 && info.http_status != 200;
}

bool IsOfServer(const connect::ErrorInfo& info) {
  return IsHttpError(info) || info.origin == connect::ErrorOrigin::kServer;
}

// Used when no detail names a remedy.
Remedy RemedyOfStatus(absl::StatusCode code, std::string_view message,
                      const connect::ErrorInfo& info) {
  if (message.find("Blob not found") != std::string_view::npos) return Remedy::kNewConversation;
  if (code == absl::StatusCode::kUnauthenticated) return Remedy::kNewToken;
  if (code == absl::StatusCode::kResourceExhausted &&
      info.origin == connect::ErrorOrigin::kServer) {
    return Remedy::kHigherLimit;
  }
  const bool again = code == absl::StatusCode::kUnavailable && IsOfServer(info) &&
                     info.http_status != kLoadBalancerStatus;
  return again ? Remedy::kTryAgain : Remedy::kNone;
}

Remedy RemedyOf(absl::StatusCode code, std::string_view message, const connect::ErrorInfo& info) {
  const std::optional<CursorError> details = FindCursorError(info);
  const Remedy remedy = details ? RemedyOfDetails(*details) : Remedy::kNone;
  return remedy == Remedy::kNone ? RemedyOfStatus(code, message, info) : remedy;
}

// A likely cause, for errors without a known remedy.
std::string_view GuessOf(std::string_view message, const connect::ErrorInfo& info) {
  if (info.http_status == kLoadBalancerStatus) {
    return "the request did not arrive as HTTP/2: a proxy on the way may have changed it";
  }
  if (IsHttpError(info) && message.find("<html") != std::string_view::npos) {
    return "a web page came in place of an answer: is a proxy or firewall on the way?";
  }
  if (IsOfServer(info) && (message.empty() || message == "Error")) {
    return "the service gave no reason";
  }
  return "";
}

}  // namespace

std::string_view HintOf(absl::StatusCode code, std::string_view message,
                        const connect::ErrorInfo& info) {
  const Remedy remedy = RemedyOf(code, message, info);
  return remedy == Remedy::kNone ? GuessOf(message, info) : TextOf(remedy);
}

}  // namespace cursorwire::agent

namespace cursorwire {

Remedy RemedyOf(const absl::Status& status) {
  const std::optional<connect::ErrorInfo> info = connect::GetErrorInfo(status);
  if (!info) return Remedy::kNone;
  return agent::RemedyOf(status.code(), ToStd(status.message()), *info);
}

}  // namespace cursorwire
