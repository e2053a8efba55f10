#include "agent/error_details.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
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
  uint64_t error = 0;        // of the enum aiserver.v1.ErrorDetails.Error
  std::string error_name{};  // the same, where only the name is known
};

constexpr char kModelHint[] = "choose a model that the service lists for this account";
constexpr char kTokenHint[] =
    "the access token is refused: sign in again, and take the new one (CURSOR_ACCESS_TOKEN)";
constexpr char kLimitHint[] =
    "a limit of the account: wait until it is renewed, or change the plan or the model";
constexpr char kConversationHint[] = "start a new conversation";
constexpr char kAgainHint[] = "try again later";

// What a user can do. Source: docs/protocol.md, end of a run; numbers and names of the enum: the
// extraction of August 2026.
struct Hint {
  uint64_t error;
  std::string_view name;
  const char* text;
};
constexpr Hint kHints[] = {
    {1, "ERROR_BAD_API_KEY", kTokenHint},
    {2, "ERROR_NOT_LOGGED_IN", kTokenHint},
    {3, "ERROR_INVALID_AUTH_ID", kTokenHint},
    {5, "ERROR_BAD_MODEL_NAME", kModelHint},
    {7, "ERROR_FREE_USER_RATE_LIMIT_EXCEEDED", kLimitHint},
    {8, "ERROR_PRO_USER_RATE_LIMIT_EXCEEDED", kLimitHint},
    {9, "ERROR_FREE_USER_USAGE_LIMIT", kLimitHint},
    {10, "ERROR_PRO_USER_USAGE_LIMIT", kLimitHint},
    {11, "ERROR_AUTH_TOKEN_NOT_FOUND", kTokenHint},
    {12, "ERROR_AUTH_TOKEN_EXPIRED", kTokenHint},
    {18, "ERROR_AGENT_REQUIRES_LOGIN", kTokenHint},
    {22, "ERROR_GENERIC_RATE_LIMIT_EXCEEDED", kLimitHint},
    {30, "ERROR_OUTDATED_CLIENT", "the service wants a newer client version"},
    {38, "ERROR_UNAUTHORIZED", kTokenHint},
    {43, "ERROR_CONVERSATION_TOO_LONG", kConversationHint},
    {44, "ERROR_USAGE_PRICING_REQUIRED", kLimitHint},
    {45, "ERROR_USAGE_PRICING_REQUIRED_CHANGEABLE", kLimitHint},
    {50, "ERROR_RATE_LIMITED", kLimitHint},
    {51, "ERROR_RATE_LIMITED_CHANGEABLE", kLimitHint},
    {57, "ERROR_PROVIDER_ERROR", kAgainHint},
    {58, "ERROR_MODEL_BLOCKED", kModelHint},
    {61, "ERROR_MODEL_NO_LONGER_SUPPORTED", kModelHint},
};
// How a load balancer answers a request that is not HTTP/2. Source: docs/protocol.md, endpoint.
constexpr int kLoadBalancerStatus = 464;

// The last occurrence of a length-delimited field; nullopt if there is none or the bytes are
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

// The last occurrence of a varint field; 0 if there is none.
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
      message = text;  // says nothing of its own
    } else {
      absl::StrAppend(&message, message.empty() ? "" : ": ", text);
    }
  }
  return message;
}

std::string_view HintOfTexts(const Texts& texts) {
  for (const Hint& hint : kHints) {
    if (hint.error == texts.error || hint.name == texts.error_name) return hint.text;
  }
  return "";
}

// Where no detail says more.
std::string_view HintOfStatus(absl::StatusCode code, const std::string& message,
                              const connect::ErrorInfo& info) {
  if (message.find("Blob not found") != std::string::npos) return kConversationHint;
  if (code == absl::StatusCode::kUnauthenticated) return kTokenHint;
  if (code == absl::StatusCode::kResourceExhausted &&
      info.origin == connect::ErrorOrigin::kServer) {
    return kLimitHint;
  }
  if (info.http_status == kLoadBalancerStatus) {
    return "the request did not arrive as HTTP/2: a proxy on the way may have changed it";
  }
  const bool http_error = info.http_status != 0 && info.http_status != 200;
  if (http_error && message.find("<html") != std::string::npos) {
    return code == absl::StatusCode::kUnavailable
               ? kAgainHint
               : "a web page came in place of an answer: is a proxy or firewall on the way?";
  }
  const bool of_server = http_error || info.origin == connect::ErrorOrigin::kServer;
  if (code == absl::StatusCode::kUnavailable && of_server) return kAgainHint;
  if (of_server && (message.empty() || message == "Error")) {
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
  std::string_view hint;
  for (const connect::ErrorDetail& detail : info->details) {
    if (detail.type != kType) continue;
    std::optional<Texts> texts = FromValue(detail.value);
    if (!texts) texts = FromDebug(detail.debug_json);
    if (!texts) continue;
    message = Join(std::move(message), *texts);
    hint = HintOfTexts(*texts);
    break;
  }
  if (hint.empty()) hint = HintOfStatus(status.code(), message, *info);
  return MakeError(status.code(), WithHint(std::move(message), hint), *info);
}

}  // namespace cursorwire::agent
