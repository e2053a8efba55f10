#ifndef CURSORWIRE_APPS_GATEWAY_OPENAI_RESPONSES_REQUEST_H_
#define CURSORWIRE_APPS_GATEWAY_OPENAI_RESPONSES_REQUEST_H_

#include <absl/status/statusor.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "openai/chat_request.h"

namespace cursor_gateway {

// The body of POST /v1/responses, checked. A value.
struct ResponsesRequest {
  // The same as a request of chat completions. With a former response, its messages are what is
  // new.
  ChatCompletionRequest chat{};
  std::string previous_response_id{};  // empty: none
  bool store = true;
  // Members of the request that stand in the response as they came.
  nlohmann::json echo{};
};

// Items become messages: calls belong to the message of the assistant before them. Tools that are
// no functions, and items of reasoning, are left out.
// Source: openai/openai-openapi, CreateResponse.
//   a BadRequest() that names the field
absl::StatusOr<ResponsesRequest> ReadResponsesRequest(std::string_view body);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_OPENAI_RESPONSES_REQUEST_H_
