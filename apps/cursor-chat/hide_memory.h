#ifndef CURSORWIRE_APPS_CURSOR_CHAT_HIDE_MEMORY_H_
#define CURSORWIRE_APPS_CURSOR_CHAT_HIDE_MEMORY_H_

namespace cursor_chat {

// From now on no other process of the user may read the memory of this one, by ptrace(2) or below
// /proc/PID, and no core dump holds it: a token is there. Those that it starts are not concerned.
// With a sanitizer it does nothing: the search for leaks reads this process by ptrace.
void HideMemory();

}  // namespace cursor_chat

#endif  // CURSORWIRE_APPS_CURSOR_CHAT_HIDE_MEMORY_H_
