#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_PROCESS_SESSION_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_PROCESS_SESSION_H_

#include <sys/types.h>

#include <string>
#include <string_view>

namespace cursorwire::workspace {

// A variable for the environment of one command, "NAME=value", which no other command has. All that
// the command starts inherits it, whatever session it makes for itself.
std::string MakeCommandMark();

// Kills, by SIGKILL, what a command has started: its process group, its session, and every process
// of this user that has its mark. `leader` is the first process of the session, and was not waited
// for yet, so that its number belongs to nobody else. Not found are processes that have left the
// session and their environment, and those of other users (of sudo).
void KillSession(pid_t leader, std::string_view mark);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_PROCESS_SESSION_H_
