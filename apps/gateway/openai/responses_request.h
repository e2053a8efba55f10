#ifndef CURSORWIRE_APPS_GATEWAY_OPENAI_RESPONSES_REQUEST_H_
#define CURSORWIRE_APPS_GATEWAY_OPENAI_RESPONSES_REQUEST_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
// `find_item` knows the items of former responses, which a request may name by their ids.
using FindItem = std::function<std::optional<nlohmann::json>(const std::string& id)>;
absl::StatusOr<ResponsesRequest> ReadResponsesRequest(std::string_view body,
                                                      const FindItem& find_item = {});

// What a body names that was said before. A value.
struct ResponseReferences {
  std::string response_id{};            // empty: none
  std::vector<std::string> item_ids{};  // each once, at most kMaxReferences
};
inline constexpr size_t kMaxReferences = 256;

// Without checking more than that: of a body that is no request it finds nothing.
ResponseReferences ReferencesOf(std::string_view body);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_OPENAI_RESPONSES_REQUEST_H_
