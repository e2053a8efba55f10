#ifndef CURSORWIRE_APPS_CURSOR_CHAT_SESSION_KILL_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_SESSION_KILL_H_

#include <sys/types.h>

namespace cursor_chat {

// Kills every process of the session at once, without a chance to clean up. `session` must be a
// child of this process that has not been waited for, so that its number belongs to no other
// session. Does not find processes that made a session of their own.
void KillSession(pid_t session);

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_SESSION_KILL_H_
