#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_ENVIRONMENT_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_ENVIRONMENT_H_

#include <string>
#include <vector>

namespace cursorwire::workspace {

// What of `variables` ("NAME=value", ended by a null pointer, as `environ` has them) a command of
// the agent gets to see: where programs, the home folder and temporary files are, who the user is,
// language and time zone; and TERM=dumb. Whatever else is in our environment may be a secret.
// `PATH` has a value in any case.
std::vector<std::string> ShellEnvironment(const char* const* variables);

// The same of this process. Not while another thread changes its environment.
std::vector<std::string> OwnShellEnvironment();

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_ENVIRONMENT_H_
