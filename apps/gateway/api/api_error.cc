#include "api/api_error.h"

#include <absl/strings/cord.h>
#include <cursorwire/chat_error.h>
#include <cursorwire/connect/error_info.h>
#include <cursorwire/connect/redactor.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "api/concat.h"
#include "api/json_text.h"

namespace cursor_gateway {
namespace {

using cursorwire::connect::ErrorOrigin;
using nlohmann::json;

// Payload of a Status that was made of an ApiError.
constexpr char kApiErrorUrl[] = "cursor-gateway/api_error";
constexpr char kInvalidRequest[] = "invalid_request_error";
constexpr char kUpstreamError[] = "upstream_error";
// Between two attempts, where the service does not say how long to wait.
constexpr int kRetryAfterSeconds = 5;

json NullIfEmpty(const std::string& text) { return text.empty() ? json() : json(text); }

std::optional<ApiError> OwnError(const absl::Status& status) {
  const auto payload = status.GetPayload(kApiErrorUrl);
  if (!payload) return std::nullopt;
  const json value = json::parse(std::string(*payload), nullptr, /*allow_exceptions=*/false);
  if (!value.is_object()) return std::nullopt;
  ApiError error{.status = value.value("status", 500),
                 .type = value.value("type", ""),
                 .code = value.value("code", ""),
                 .param = value.value("param", ""),
                 .message = std::string(status.message()),
                 .retry_after_seconds = value.value("retry_after", 0)};
  if (value.contains("should_retry")) error.should_retry = value["should_retry"].get<bool>();
  return error;
}

// Whether the service refused for a limit that waiting does not lift.
bool IsQuota(const absl::Status& status) {
  const auto details = cursorwire::GetCursorError(status);
  return details && !details->is_retryable.value_or(false);
}

// Whether the conversation does not fit into the model any more. Clients know the code.
bool IsTooLong(const absl::Status& status) {
  const auto details = cursorwire::GetCursorError(status);
  return details && details->name == "ERROR_CONVERSATION_TOO_LONG";
}

bool IsOurOwnLimit(const absl::Status& status) {
  const auto info = cursorwire::connect::GetErrorInfo(status);
  return info && info->origin == ErrorOrigin::kLocal;
}

ApiError ResourceExhausted(const absl::Status& status) {
  if (IsTooLong(status)) {
    return {.status = 400, .type = kInvalidRequest, .code = "context_length_exceeded"};
  }
  if (IsOurOwnLimit(status)) {
    return {.status = 400, .type = kInvalidRequest, .code = "upstream_resource_exhausted"};
  }
  if (IsQuota(status)) {
    return {.status = 429,
            .type = "insufficient_quota",
            .code = "insufficient_quota",
            .should_retry = false};
  }
  return {.status = 429,
          .type = "rate_limit_error",
          .code = "rate_limit_exceeded",
          .retry_after_seconds = kRetryAfterSeconds};
}

// All but the message.
ApiError UpstreamError(const absl::Status& status) {
  const std::string code = Concat("upstream_", cursorwire::connect::CodeText(status.code()));
  switch (status.code()) {
    case absl::StatusCode::kUnauthenticated:
      return {.status = 401, .type = kInvalidRequest, .code = code, .should_retry = false};
    case absl::StatusCode::kPermissionDenied:
      return {.status = 403, .type = "permission_error", .code = code, .should_retry = false};
    case absl::StatusCode::kNotFound:
      return {.status = 404, .type = kInvalidRequest, .code = "model_not_found"};
    case absl::StatusCode::kResourceExhausted:
      return ResourceExhausted(status);
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kOutOfRange:
      return {.status = 400, .type = kInvalidRequest, .code = code};
    case absl::StatusCode::kDeadlineExceeded:
      return {.status = 504, .type = kUpstreamError, .code = code};
    case absl::StatusCode::kUnavailable:
      return {.status = 503, .type = kUpstreamError, .code = code};
    case absl::StatusCode::kUnimplemented:
      return {.status = 501, .type = kUpstreamError, .code = code};
    default:
      return {.status = 502, .type = kUpstreamError, .code = code};
  }
}

}  // namespace

std::string ErrorBody(const ApiError& error) {
  return CompactJson({{"error",
                       {{"message", error.message},
                        {"type", error.type},
                        {"param", NullIfEmpty(error.param)},
                        {"code", NullIfEmpty(error.code)}}}});
}

absl::Status ToStatus(const ApiError& error) {
  absl::Status status(absl::StatusCode::kInvalidArgument, error.message);
  json value = {{"status", error.status},
                {"type", error.type},
                {"code", error.code},
                {"param", error.param},
                {"retry_after", error.retry_after_seconds}};
  if (error.should_retry) value["should_retry"] = *error.should_retry;
  status.SetPayload(kApiErrorUrl, absl::Cord(CompactJson(value)));
  return status;
}

absl::Status BadRequest(std::string_view message, std::string_view param, std::string_view code) {
  return RequestError(400, message, param, code);
}

absl::Status RequestError(int status, std::string_view message, std::string_view param,
                          std::string_view code) {
  return ToStatus({.status = status,
                   .type = kInvalidRequest,
                   .code = std::string(code),
                   .param = std::string(param),
                   .message = std::string(message)});
}

ApiError ApiErrorOf(const absl::Status& status) {
  if (std::optional<ApiError> own = OwnError(status)) return *std::move(own);
  ApiError error = UpstreamError(status);
  error.message = cursorwire::connect::Redactor().Redact(
      std::string_view(status.message().data(), status.message().size()));
  if (error.message.empty()) {
    error.message =
        Concat("the service failed with ", cursorwire::connect::CodeText(status.code()));
  }
  if (status.code() == absl::StatusCode::kUnauthenticated) {
    error.message =
        Concat("the service refused the gateway's own access token, not your key: ", error.message);
  }
  return error;
}

std::string OwnCodeOf(const absl::Status& status) {
  return OwnError(status).value_or(ApiError{}).code;
}

}  // namespace cursor_gateway
