#include "anthropic/anthropic_error.h"

#include <nlohmann/json.hpp>

#include "api/json_text.h"

namespace cursor_gateway {
namespace {

constexpr int kOverloaded = 529;
constexpr char kBadRequest[] = "invalid_request_error";

const char* ErrorType(int status) {
  switch (status) {
    case 401:
      return "authentication_error";
    case 403:
      return "permission_error";
    case 404:
      return "not_found_error";
    case 413:
      return "request_too_large";
    case 429:
      return "rate_limit_error";
    case 504:
      return "timeout_error";
    case kOverloaded:
      return "overloaded_error";
    default:
      return status < 500 ? kBadRequest : "api_error";
  }
}

}  // namespace

ApiError InAnthropicForm(ApiError error) {
  if (error.is_overload || error.code == "overloaded") error.status = kOverloaded;
  error.type = ErrorType(error.status);
  return error;
}

std::string AnthropicErrorBody(const ApiError& error, std::string_view request_id) {
  nlohmann::json told = {{"type", error.type}, {"message", error.message}};
  // What Anthropic's SDK looks for before it does without threads.
  if (error.code == "thread_unsupported_request") {
    told["details"] = {{"error_code", error.code},
                       {"unsupported", nlohmann::json::array({error.param})}};
  }
  return CompactJson(
      {{"type", "error"}, {"error", std::move(told)}, {"request_id", std::string(request_id)}});
}

}  // namespace cursor_gateway
