#include "upstream/script/server_error.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include "base/strings.h"
#include "upstream/server/reply.h"
#include "wire/json.h"
#include "wire/proto_writer.h"

namespace cursorwire::upstream {
namespace {

struct ErrorValue {
  std::string_view name;
  uint32_t number;
};
constexpr ErrorValue kErrors[] = {
    {"ERROR_UNSPECIFIED", 0},
    {"ERROR_BAD_API_KEY", 1},
    {"ERROR_BAD_USER_API_KEY", 42},
    {"ERROR_NOT_LOGGED_IN", 2},
    {"ERROR_INVALID_AUTH_ID", 3},
    {"ERROR_NOT_HIGH_ENOUGH_PERMISSIONS", 4},
    {"ERROR_AGENT_REQUIRES_LOGIN", 18},
    {"ERROR_BAD_MODEL_NAME", 5},
    {"ERROR_NOT_FOUND", 39},
    {"ERROR_DEPRECATED", 40},
    {"ERROR_USER_NOT_FOUND", 6},
    {"ERROR_FREE_USER_RATE_LIMIT_EXCEEDED", 7},
    {"ERROR_PRO_USER_RATE_LIMIT_EXCEEDED", 8},
    {"ERROR_FREE_USER_USAGE_LIMIT", 9},
    {"ERROR_PRO_USER_USAGE_LIMIT", 10},
    {"ERROR_RESOURCE_EXHAUSTED", 41},
    {"ERROR_AUTH_TOKEN_NOT_FOUND", 11},
    {"ERROR_AUTH_TOKEN_EXPIRED", 12},
    {"ERROR_OPENAI", 13},
    {"ERROR_OPENAI_RATE_LIMIT_EXCEEDED", 14},
    {"ERROR_MAX_TOKENS", 20},
    {"ERROR_PRO_USER_ONLY", 23},
    {"ERROR_USER_ABORTED_REQUEST", 21},
    {"ERROR_TIMEOUT", 25},
    {"ERROR_GENERIC_RATE_LIMIT_EXCEEDED", 22},
    {"ERROR_GPT_4_VISION_PREVIEW_RATE_LIMIT", 28},
    {"ERROR_CUSTOM_MESSAGE", 29},
    {"ERROR_OUTDATED_CLIENT", 30},
    {"ERROR_CLAUDE_IMAGE_TOO_LARGE", 31},
    {"ERROR_FILE_NOT_FOUND", 33},
    {"ERROR_API_KEY_RATE_LIMIT", 34},
    {"ERROR_DEBOUNCED", 35},
    {"ERROR_BAD_REQUEST", 36},
    {"ERROR_REPOSITORY_SERVICE_REPOSITORY_IS_NOT_INITIALIZED", 37},
    {"ERROR_UNAUTHORIZED", 38},
    {"ERROR_CONVERSATION_TOO_LONG", 43},
    {"ERROR_USAGE_PRICING_REQUIRED", 44},
    {"ERROR_USAGE_PRICING_REQUIRED_CHANGEABLE", 45},
    {"ERROR_GITHUB_NO_USER_CREDENTIALS", 46},
    {"ERROR_GITHUB_USER_NO_ACCESS", 47},
    {"ERROR_GITHUB_APP_NO_ACCESS", 48},
    {"ERROR_GITHUB_MULTIPLE_OWNERS", 49},
    {"ERROR_RATE_LIMITED", 50},
    {"ERROR_RATE_LIMITED_CHANGEABLE", 51},
    {"ERROR_CUSTOM", 52},
    {"ERROR_HOOKS_BLOCKED", 53},
    {"ERROR_SUSPICIOUS_USAGE_BLOCKED", 54},
    {"ERROR_EXTENSION_HOST_TIMEOUT", 55},
    {"ERROR_NETWORK_ERROR", 56},
    {"ERROR_PROVIDER_ERROR", 57},
    {"ERROR_MODEL_BLOCKED", 58},
    {"ERROR_INTERNAL", 59},
    {"ERROR_MAX_MODE_REQUIRED", 60},
    {"ERROR_MODEL_NO_LONGER_SUPPORTED", 61},
    {"ERROR_PRICING_WARNING", 62},
    {"ERROR_SLOW_POOL", 63},
    {"ERROR_UNSUPPORTED_REGION", 64},
};

std::string Quoted(std::string_view text) {
  std::string json;
  wire::AppendJsonString(text, json);
  return json;
}

std::string_view BoolText(bool value) { return value ? "true" : "false"; }

// ErrorDetails: 1 error, 2 details, 3 is_expected; CustomErrorDetails: 1 title, 2 detail,
// 4 is_retryable. Source: docs/protocol.md, end of a run.
std::string Encode(const ServerErrorDetail& detail) {
  wire::ProtoWriter custom;
  custom.Bytes(1, detail.title);
  custom.Bytes(2, detail.detail);
  if (detail.is_retryable) custom.Bool(4, *detail.is_retryable);
  wire::ProtoWriter details;
  if (detail.error != 0) details.Varint(1, detail.error);
  details.Bytes(2, custom.message());
  if (detail.is_expected) details.Bool(3, *detail.is_expected);
  return details.message();
}

std::string Base64(std::string_view bytes, bool padded) {
  std::string text = absl::Base64Escape(ToAbsl(bytes));
  while (!padded && text.ends_with('=')) text.pop_back();
  return text;
}

std::string DebugJson(const ServerErrorDetail& detail) {
  const std::string error =
      detail.error_name.empty() ? std::to_string(detail.error) : Quoted(detail.error_name);
  std::string json = absl::StrCat(R"({"error":)", error, R"(,"details":{"title":)",
                                  Quoted(detail.title), R"(,"detail":)", Quoted(detail.detail));
  if (detail.is_retryable) {
    absl::StrAppend(&json, R"(,"isRetryable":)", ToAbsl(BoolText(*detail.is_retryable)));
  }
  json += "}";
  if (detail.is_expected) {
    absl::StrAppend(&json, R"(,"isExpected":)", ToAbsl(BoolText(*detail.is_expected)));
  }
  return json + "}";
}

}  // namespace

std::optional<uint32_t> ErrorNumber(std::string_view name) {
  for (const ErrorValue& value : kErrors) {
    if (value.name == name) return value.number;
  }
  return std::nullopt;
}

std::string DetailJson(const ServerErrorDetail& detail) {
  std::string json = R"({"type":"aiserver.v1.ErrorDetails")";
  if (detail.with_value) {
    absl::StrAppend(&json, R"(,"value":")", Base64(Encode(detail), detail.padded), "\"");
  }
  if (detail.with_debug) absl::StrAppend(&json, R"(,"debug":)", DebugJson(detail));
  return json + "}";
}

std::string ErrorJson(std::string_view code, std::string_view message,
                      const std::vector<std::string>& details) {
  std::string json = ErrorJson(code, message);
  if (details.empty()) return json;
  json.pop_back();
  json += R"(,"details":[)";
  for (size_t i = 0; i < details.size(); ++i) absl::StrAppend(&json, i == 0 ? "" : ",", details[i]);
  return json + "]}";
}

}  // namespace cursorwire::upstream
