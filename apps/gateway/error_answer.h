#ifndef CURSORWIRE_APPS_GATEWAY_ERROR_ANSWER_H_
#define CURSORWIRE_APPS_GATEWAY_ERROR_ANSWER_H_

#include <functional>
#include <string>
#include <string_view>

#include "api/api_error.h"
#include "http/http_exchange.h"
#include "http/http_message.h"

namespace cursor_gateway {

// The HTTP answer that tells of an error, with the headers that belong to it.
HttpAnswer ErrorAnswer(const ApiError& error);

// Puts an ErrorAnswer() into the form of Anthropic's API; other answers stay as they are.
void ToAnthropicForm(HttpAnswer& answer, std::string_view request_id);

HttpAnswer JsonAnswer(std::string body);

// Calls what answers. An exception that it throws becomes a note, and 500, or the end of a stream.
void AnswerSafely(HttpExchange& exchange, const std::function<void()>& answer);
// What an exception says, for the log.
std::string FailureNote(std::string_view what);
// What clients are told then.
ApiError OwnFailure();

// 503: what the request holds does not fit beside the others now.
ApiError NoRoom();

// 503: what the request goes on from, which `param` names, may be in the state, but that cannot be
// asked. There is no way around it: the request does not hold what was said.
ApiError StateIsAway(std::string_view param);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_ERROR_ANSWER_H_
