#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_LEFT_NOTICE_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_LEFT_NOTICE_H_

#include <string>

#include "process/process_session.h"

namespace cursorwire::workspace {

enum class ShellPlace { kForeground, kBackground };

// A line for the agent that names the processes that a command left running and that were ended
// with it, and says what keeps them; empty if there were none.
std::string LeftNotice(const process::LeftProcesses& left, ShellPlace place);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_LEFT_NOTICE_H_
