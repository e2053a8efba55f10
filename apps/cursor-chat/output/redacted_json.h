#ifndef CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_REDACTED_JSON_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_REDACTED_JSON_H_

#include <cursorwire/connect/redactor.h>

#include <nlohmann/json.hpp>

namespace cursor_chat {

// Removes secrets from all strings of a value, including names of members. The value must not be
// deeper than ParseJson() allows.
void RedactStrings(const cursorwire::connect::Redactor& redactor, nlohmann::json& value);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_OUTPUT_REDACTED_JSON_H_
