#include "error_answer.h"

#include <string>
#include <utility>

namespace cursor_gateway {

HttpAnswer JsonAnswer(std::string body) {
  return {.fields = {{"Content-Type", "application/json"}}, .body = std::move(body)};
}

HttpAnswer ErrorAnswer(const ApiError& error) {
  HttpAnswer answer = JsonAnswer(ErrorBody(error));
  answer.status = error.status;
  if (error.code == "invalid_api_key") answer.fields.emplace_back("WWW-Authenticate", "Bearer");
  if (error.should_retry) {
    answer.fields.emplace_back("x-should-retry", *error.should_retry ? "true" : "false");
  }
  if (error.retry_after_seconds > 0) {
    answer.fields.emplace_back("Retry-After", std::to_string(error.retry_after_seconds));
  }
  return answer;
}

ApiError StateIsAway(std::string_view param) {
  return {.status = 503,
          .code = "state_unavailable",
          .param = std::string(param),
          .message = "where conversations are kept cannot be asked; try again later",
          .retry_after_seconds = 1};
}

}  // namespace cursor_gateway
