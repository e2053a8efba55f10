#ifndef CURSORWIRE_APPS_GATEWAY_ANTHROPIC_ANTHROPIC_ERROR_H_
#define CURSORWIRE_APPS_GATEWAY_ANTHROPIC_ANTHROPIC_ERROR_H_

#include <string>
#include <string_view>

#include "api/api_error.h"

namespace cursor_gateway {

// The same error as Anthropic's API tells it: some statuses differ (529 where this gateway is
// full). Source: docs.anthropic.com, Errors; docs/gateway-messages.md, errors.
ApiError InAnthropicForm(ApiError error);

// {"type":"error","error":{"type","message"},"request_id"}, of an error in that form.
std::string AnthropicErrorBody(const ApiError& error, std::string_view request_id);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_ANTHROPIC_ANTHROPIC_ERROR_H_
