#include "agent/events/error_names.h"

namespace cursorwire::agent {
namespace {

struct ErrorValue {
  std::string_view name;
  uint32_t number;
};
constexpr ErrorValue kErrorValues[] = {
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

}  // namespace

std::optional<uint32_t> ErrorNumber(std::string_view name) {
  for (const ErrorValue& value : kErrorValues) {
    if (value.name == name) return value.number;
  }
  return std::nullopt;
}

std::string_view ErrorName(uint64_t number) {
  for (const ErrorValue& value : kErrorValues) {
    if (value.number == number) return value.name;
  }
  return "";
}

}  // namespace cursorwire::agent
