#ifndef CURSORWIRE_APPS_GATEWAY_API_API_ERROR_H_
#define CURSORWIRE_APPS_GATEWAY_API_API_ERROR_H_

#include <absl/status/status.h>

#include <optional>
#include <string>
#include <string_view>

namespace cursor_gateway {

// An error as a client of OpenAI's API sees it. A value. Source: openai/openai-openapi, `Error`.
struct ApiError {
  int status = 500;  // of HTTP
  std::string type = "server_error";
  std::string code{};   // empty: null
  std::string param{};  // empty: null
  std::string message{};
  // The headers `x-should-retry` and `retry-after`, which the official SDKs obey.
  std::optional<bool> should_retry{};
  int retry_after_seconds = 0;  // 0: none
  bool is_overload = false;     // this gateway is full, rather than the account at a limit
};

// {"error":{"message","type","param","code"}}, all four members always.
std::string ErrorBody(const ApiError& error);

// A Status that ApiErrorOf() gives back as this error.
absl::Status ToStatus(const ApiError& error);

// What is wrong with a request. `param` names the field; empty: the request as a whole.
absl::Status RequestError(int status, std::string_view message, std::string_view param = "",
                          std::string_view code = "");
// The same with 400.
absl::Status BadRequest(std::string_view message, std::string_view param,
                        std::string_view code = "");

// What a client is told of a Status of this program, or of the library: docs/gateway.md, errors.
// Credentials are taken out of the message.
ApiError ApiErrorOf(const absl::Status& status);

// The code of a Status of this program; empty: it has none, or is of the library.
std::string OwnCodeOf(const absl::Status& status);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_API_API_ERROR_H_
