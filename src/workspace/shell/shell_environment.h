#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_ENVIRONMENT_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_ENVIRONMENT_H_

#include <string>
#include <vector>

namespace cursorwire::workspace {

// The `variables` ("NAME=value", ended by a null pointer, like `environ`) that a command of the
// agent may see: the paths of programs, home folder and temporary files, the user, language and
// time zone; plus TERM=dumb. Everything else in our environment may be a secret. `PATH` always has
// a value.
std::vector<std::string> ShellEnvironment(const char* const* variables);

// The same for this process's environment, which no thread may change meanwhile.
std::vector<std::string> OwnShellEnvironment();

// The file of the shell that runs commands with that environment: what SHELL names, where that is a
// bash or zsh that can be run; otherwise /bin/sh. Commands are written for the shell that the agent
// is told of, and these two understand what is written for sh.
std::string ShellOf(const std::vector<std::string>& environment);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_ENVIRONMENT_H_
