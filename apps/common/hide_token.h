#ifndef CURSORWIRE_APPS_COMMON_HIDE_TOKEN_H_
#define CURSORWIRE_APPS_COMMON_HIDE_TOKEN_H_

#include <cursorwire/connect/redactor.h>

#include <vector>

namespace cursor_apps {

// Environment variables with which a command could act as the user, or use the proxy as he does.
inline constexpr const char* kTokenVariables[] = {"CURSOR_ACCESS_TOKEN", "CURSOR_AUTH_TOKEN",
                                                  "CURSOR_API_KEY", "CURSORWIRE_PROXY_PASSWORD"};

// Removes their values from what is printed. Call before HideTokens().
cursorwire::connect::Redactor TokenRedactor();

// Overwrites their values in place, so that a command does not find them in this process's
// /proc/PID/environ. No other thread may read them meanwhile.
void HideTokens();

// For another program: this process's environment without these variables, with a null pointer
// after it. Valid as long as the environment stays as it is.
std::vector<char*> EnvironmentWithoutTokens();

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_HIDE_TOKEN_H_
