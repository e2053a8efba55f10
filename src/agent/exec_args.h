#ifndef CURSORWIRE_SRC_AGENT_EXEC_ARGS_H_
#define CURSORWIRE_SRC_AGENT_EXEC_ARGS_H_

#include <optional>
#include <string>

#include "agent/v1/exec.pb.h"
#include "cursorwire/exec.h"

namespace cursorwire::agent {

// What a handler is asked for; nullopt: no handler serves this kind.
// Source: docs/protocol.md, execs.
std::optional<ExecArgs> ToExecArgs(const ::agent::v1::ExecServerMessage& exec);

// The words of `output_mode`; an unknown one is kContent. Guess: those of ripgrep's users, since the
// sources do not list them.
GrepMode ToGrepMode(const std::string& output_mode);
const char* GrepModeName(GrepMode mode);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_ARGS_H_
