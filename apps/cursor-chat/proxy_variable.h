#ifndef CURSORWIRE_APPS_CURSOR_CHAT_PROXY_VARIABLE_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_PROXY_VARIABLE_H_

#include <string>

namespace cursor_chat {

// The name of the environment variable that asks for a proxy, which this program does not use;
// "": none is set. Its value may hold a password.
std::string UnusedProxyVariable();

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_PROXY_VARIABLE_H_
