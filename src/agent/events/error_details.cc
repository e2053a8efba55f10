#include "agent/events/error_details.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "cursorwire/remedy.h"
#include "wire/json.h"
#include "wire/proto_reader.h"

namespace cursorwire::agent {
namespace {

constexpr std::string_view kType = "aiserver.v1.ErrorDetails";
// ErrorDetails: 1 error, 2 details = CustomErrorDetails: 1 title, 2 detail.
constexpr uint32_t kErrorField = 1;
constexpr uint32_t kDetailsField = 2;
constexpr uint32_t kTitleField = 1;
constexpr uint32_t kDetailField = 2;

struct Texts {
  std::string title{};
  std::string detail{};
  uint64_t error = 0;        // a value of the enum aiserver.v1.ErrorDetails.Error
  std::string error_name{};  // the enum value's name, if only the name is known
};

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
      return "the service wants a newer client version";
  }
  return "";
}

// How a load balancer answers a request that is not HTTP/2. Source: docs/protocol.md, endpoint.
constexpr int kLoadBalancerStatus = 464;

// The last occurrence of a length-delimited field; nullopt if the field is absent or the bytes are
// broken.
std::optional<std::string_view> FindField(std::string_view message, uint32_t number) {
  wire::ProtoReader reader(message);
  std::optional<std::string_view> found;
  for (;;) {
    const absl::StatusOr<std::optional<wire::ProtoField>> field = reader.Next();
    if (!field.ok()) return std::nullopt;
    if (!field->has_value()) return found;
    if ((*field)->number == number && (*field)->type == wire::WireType::kLength) {
      found = (*field)->bytes;
    }
  }
}

// The last occurrence of a varint field; 0 if it is absent.
uint64_t FindVarint(std::string_view message, uint32_t number) {
  wire::ProtoReader reader(message);
  uint64_t found = 0;
  for (;;) {
    const absl::StatusOr<std::optional<wire::ProtoField>> field = reader.Next();
    if (!field.ok() || !field->has_value()) return found;
    if ((*field)->number == number && (*field)->type == wire::WireType::kVarint) {
      found = (*field)->scalar;
    }
  }
}

std::optional<Texts> FromValue(std::string_view value) {
  const std::optional<std::string_view> details = FindField(value, kDetailsField);
  if (!details) return std::nullopt;
  return Texts{.title = std::string(FindField(*details, kTitleField).value_or("")),
               .detail = std::string(FindField(*details, kDetailField).value_or("")),
               .error = FindVarint(value, kErrorField)};
}

std::optional<Texts> FromDebug(std::string_view debug) {
  const absl::StatusOr<wire::Json> json = wire::ParseJson(debug);
  const wire::Json* details = json.ok() ? json->Find("details") : nullptr;
  if (details == nullptr) return std::nullopt;
  return Texts{.title = std::string(details->FindString("title")),
               .detail = std::string(details->FindString("detail")),
               .error_name = std::string(json->FindString("error"))};
}

std::string Join(std::string message, const Texts& texts) {
  for (const std::string& text : {texts.title, texts.detail}) {
    if (text.empty() || !IsUtf8(text) || message.find(text) != std::string::npos) continue;
    if (message == "Error") {
      message = text;  // "Error" alone says nothing
    } else {
      absl::StrAppend(&message, message.empty() ? "" : ": ", text);
    }
  }
  return message;
}

// The texts of the first detail that can be read.
std::optional<Texts> TextsOf(const connect::ErrorInfo& info) {
  for (const connect::ErrorDetail& detail : info.details) {
    if (detail.type != kType) continue;
    std::optional<Texts> texts = FromValue(detail.value);
    if (!texts) texts = FromDebug(detail.debug_json);
    if (texts) return texts;
  }
  return std::nullopt;
}

Remedy RemedyOfTexts(const Texts& texts) {
  for (const KnownError& known : kKnownErrors) {
    if (known.error == texts.error || known.name == texts.error_name) return known.remedy;
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
  const std::optional<Texts> texts = TextsOf(info);
  const Remedy remedy = texts ? RemedyOfTexts(*texts) : Remedy::kNone;
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

std::string WithHint(std::string message, std::string_view hint) {
  if (hint.empty()) return message;
  if (message.empty()) return std::string(hint);
  return absl::StrCat(message, " (", ToAbsl(hint), ")");
}

}  // namespace

absl::Status WithErrorDetails(const absl::Status& status) {
  const std::optional<connect::ErrorInfo> info = connect::GetErrorInfo(status);
  if (!info) return status;
  std::string message(status.message());
  if (const auto texts = TextsOf(*info)) message = Join(std::move(message), *texts);
  const Remedy remedy = RemedyOf(status.code(), message, *info);
  const std::string_view hint = remedy == Remedy::kNone ? GuessOf(message, *info) : TextOf(remedy);
  return MakeError(status.code(), WithHint(std::move(message), hint), *info);
}

}  // namespace cursorwire::agent

namespace cursorwire {

Remedy RemedyOf(const absl::Status& status) {
  const std::optional<connect::ErrorInfo> info = connect::GetErrorInfo(status);
  if (!info) return Remedy::kNone;
  return agent::RemedyOf(status.code(), ToStd(status.message()), *info);
}

}  // namespace cursorwire
