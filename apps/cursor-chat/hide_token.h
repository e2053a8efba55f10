#ifndef CURSORWIRE_APPS_CURSOR_CHAT_HIDE_TOKEN_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_HIDE_TOKEN_H_

#include <cursorwire/connect/redactor.h>

namespace cursor_chat {

// Variables of the environment that would let a command act as the user.
inline constexpr const char* kTokenVariables[] = {"CURSOR_ACCESS_TOKEN", "CURSOR_AUTH_TOKEN",
                                                  "CURSOR_API_KEY"};

// Takes their values out of what is printed. To be called before HideTokens().
cursorwire::connect::Redactor TokenRedactor();

// Overwrites their values where they stand, so that a command does not find them in the
// /proc/PID/environ of this process. No other thread may read them meanwhile.
void HideTokens();

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_HIDE_TOKEN_H_
