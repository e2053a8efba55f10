#ifndef CURSORWIRE_APPS_GATEWAY_ERROR_ANSWER_H_
#define CURSORWIRE_APPS_GATEWAY_ERROR_ANSWER_H_

#include "http/http_message.h"
#include "openai/api_error.h"

namespace cursor_gateway {

// The HTTP answer that tells of an error, with the headers that belong to it.
HttpAnswer ErrorAnswer(const ApiError& error);

HttpAnswer JsonAnswer(std::string body);

}  // namespace cursor_gateway

#endif  // CURSORWIRE_APPS_GATEWAY_ERROR_ANSWER_H_
