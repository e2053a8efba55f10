#ifndef CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_BROWSER_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_BROWSER_H_

#include <string>

namespace cursor_chat {

// Asks the user's desktop to open an address, with xdg-open. It waits for nothing, and what that
// program writes is dropped. False: it cannot be started.
bool OpenBrowser(const std::string& url);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_COMMANDS_BROWSER_H_
