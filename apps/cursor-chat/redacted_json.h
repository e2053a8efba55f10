#ifndef CURSORWIRE_APPS_CURSOR_CHAT_REDACTED_JSON_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_REDACTED_JSON_H_

#include <cursorwire/connect/redactor.h>

#include <nlohmann/json.hpp>

namespace cursor_chat {

// Takes secrets out of all strings of a value, names of members included. It is not deeper than
// ParseJson() admits.
void RedactStrings(const cursorwire::connect::Redactor& redactor, nlohmann::json& value);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_REDACTED_JSON_H_
