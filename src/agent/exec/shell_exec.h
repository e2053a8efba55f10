#ifndef CURSORWIRE_SRC_AGENT_EXEC_SHELL_EXEC_H_
#define CURSORWIRE_SRC_AGENT_EXEC_SHELL_EXEC_H_

#include <optional>
#include <string_view>

#include "agent/exec/exec_kind.h"
#include "cursorwire/sandbox.h"

namespace cursorwire::agent {

// The output of a streamed command, after the event that starts the stream, with the policy in
// force, if that was not sent.
ExecResults ShellStreamOutput(std::string_view out, std::string_view err, StreamState state,
                              const std::optional<SandboxPolicy>& sandbox);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_SHELL_EXEC_H_
