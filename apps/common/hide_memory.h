#ifndef CURSORWIRE_APPS_COMMON_HIDE_MEMORY_H_
#define CURSORWIRE_APPS_COMMON_HIDE_MEMORY_H_

namespace cursor_apps {

// From now on no other process of the user can read this process's memory, by ptrace(2) or through
// /proc/PID, and no core dump contains it: the memory holds a token. Child processes are not
// affected. Does nothing under a sanitizer, whose leak detection reads this process by ptrace.
void HideMemory();

}  // namespace cursor_apps

#endif  // CURSORWIRE_APPS_COMMON_HIDE_MEMORY_H_
