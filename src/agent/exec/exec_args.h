#ifndef CURSORWIRE_SRC_AGENT_EXEC_EXEC_ARGS_H_
#define CURSORWIRE_SRC_AGENT_EXEC_EXEC_ARGS_H_

#include <optional>
#include <string>

#include "agent/v1/exec.pb.h"
#include "cursorwire/exec.h"

namespace cursorwire::agent {

// What a handler is asked for; nullopt: no handler serves this kind.
// Source: docs/protocol.md, execs.
std::optional<ExecArgs> ToExecArgs(const ::agent::v1::ExecServerMessage& exec);

// What a search is to tell, by the words of `output_mode`; an unknown one is kContent. Without a
// pattern it is the files whose names fit. Guess: the words are those of ripgrep's users, since the
// sources do not list them.
GrepMode ModeOf(const ::agent::v1::GrepArgs& args);
const char* GrepModeName(GrepMode mode);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_EXEC_ARGS_H_
