#ifndef CURSORWIRE_APPS_CURSOR_CHAT_SESSION_KILL_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_SESSION_KILL_H_

#include <sys/types.h>

namespace cursor_chat {

// Kills every process of the session, at once and without a chance to clean up. `session` is a
// child of this process that has not been waited for: no other session can have its number.
// Processes that made a session of their own are not found.
void KillSession(pid_t session);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_SESSION_KILL_H_
