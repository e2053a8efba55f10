#ifndef CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_ENVIRONMENT_H_
#define CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_ENVIRONMENT_H_

#include <absl/status/status.h>

#include <string>
#include <string_view>
#include <vector>

namespace cursorwire::workspace {

// Implements LocalExecHandler::CommandVariables().
const std::vector<std::string>& CommandVariables();

// Implements LocalExecHandler::CheckVariable().
absl::Status CheckVariable(std::string_view variable);

// Those of the `variables` ("NAME=value", ended by a null pointer, like `environ`) that a command
// of the agent may see: CommandVariables(), all that begin with LC_, and what `wanted` has, which
// is LocalExecOptions::variables; plus TERM=dumb. Everything else in our environment may be a
// secret. `PATH` always has a value.
std::vector<std::string> ShellEnvironment(const char* const* variables,
                                          const std::vector<std::string>& wanted);

// The same for this process's environment, which no thread may change meanwhile.
std::vector<std::string> OwnShellEnvironment(const std::vector<std::string>& wanted);

// All of this process's environment, which no thread may change meanwhile.
std::vector<std::string> WholeEnvironment();

// The file of the shell that runs commands with that environment: what SHELL names, where that is a
// bash or zsh that can be run; otherwise /bin/sh. Commands are written for the shell that the agent
// is told of, and these two understand what is written for sh.
std::string ShellOf(const std::vector<std::string>& environment);

}  // namespace cursorwire::workspace

#endif  // CURSORWIRE_SRC_WORKSPACE_SHELL_SHELL_ENVIRONMENT_H_
