#ifndef CURSORWIRE_APPS_GATEWAY_ANTHROPIC_MESSAGES_REQUEST_H_
#define CURSORWIRE_APPS_GATEWAY_ANTHROPIC_MESSAGES_REQUEST_H_

#include <absl/status/statusor.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/chat_request.h"

namespace cursor_gateway {

// The body of POST /v1/messages, checked. A value. docs/gateway-messages.md has each field.
struct MessagesRequest {
  // Its messages are in the order of chat completions: a result is a message of its own. What a
  // user's message says beside results of all calls is part of the last of them.
  ChatCompletionRequest chat{};
  bool shows_thinking = false;
  // Tools that the last results name as loaded (`tool_reference`).
  std::set<std::string> loaded_tools{};
  // Tools that are not offered, by type or name, for the log.
  std::vector<std::string> left_out{};
  int64_t estimated_tokens = 0;  // of the request
};

// Source: docs.anthropic.com, Messages; requests of real clients.
//   a BadRequest() that names the field
absl::StatusOr<MessagesRequest> ReadMessagesRequest(std::string_view body);

// What the body of POST /v1/messages/count_tokens comes to, at least 1. The service does not count:
// it is an estimate by bytes of all texts, calls, results and tools, rather too high than too low,
// since clients shorten their history by it.
//   a BadRequest(): no JSON object, or no messages
absl::StatusOr<int64_t> CountTokens(std::string_view body);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_ANTHROPIC_MESSAGES_REQUEST_H_
