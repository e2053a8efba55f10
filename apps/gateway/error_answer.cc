#include "error_answer.h"

#include <absl/strings/escaping.h>

#include <cstddef>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "anthropic/anthropic_error.h"
#include "api/concat.h"
#include "api/json_text.h"

namespace cursor_gateway {
namespace {

constexpr size_t kMaxFailureBytes = 200;  // in the log

}  // namespace

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

void ToAnthropicForm(HttpAnswer& answer, std::string_view request_id) {
  if (answer.status < 400) return;
  const absl::StatusOr<nlohmann::json> body = ReadJson(answer.body);
  if (!body.ok() || !body->is_object()) return;
  const auto text = [&body](const char* name) {
    const nlohmann::json member =
        body->value("error", nlohmann::json::object()).value(name, nlohmann::json());
    return member.is_string() ? member.get<std::string>() : "";
  };
  const ApiError told = InAnthropicForm({.status = answer.status,
                                         .code = text("code"),
                                         .param = text("param"),
                                         .message = text("message")});
  answer.status = told.status;
  answer.body = AnthropicErrorBody(told, request_id);
}

void AnswerSafely(HttpExchange& exchange, const std::function<void()>& answer) {
  try {
    answer();
  } catch (const std::exception& failure) {
    exchange.AddNote(FailureNote(failure.what()));
    if (exchange.status() != 0) return exchange.Abort();
    exchange.Answer(ErrorAnswer(OwnFailure()));
  }
}

std::string FailureNote(std::string_view what) {
  return Concat("a failure of the gateway itself: ",
                absl::CHexEscape(std::string(what.substr(0, kMaxFailureBytes))));
}

ApiError OwnFailure() { return {.message = "the gateway failed; its log says at what"}; }

ApiError NoRoom() {
  return {.status = 503,
          .type = "server_error",
          .code = "overloaded",
          .message = "the gateway has no room for this request now; try again later",
          .retry_after_seconds = 1};
}

ApiError StateIsAway(std::string_view param) {
  return {.status = 503,
          .code = "state_unavailable",
          .param = std::string(param),
          .message = "where conversations are kept cannot be asked; try again later",
          .retry_after_seconds = 1};
}

}  // namespace cursor_gateway
