#ifndef CURSORWIRE_SRC_AGENT_EXEC_H_
#define CURSORWIRE_SRC_AGENT_EXEC_H_

#include <vector>

#include "agent/v1/run.pb.h"

namespace cursorwire::agent {

// Answers one exec: the request context for real, each known kind with the refusal of its own type,
// any other with a throw; then, in all cases, the message that closes the exec. An exec that is not
// answered would hold the run for ever.
// Source: docs/protocol.md, execs.
std::vector<::agent::v1::AgentClientMessage> AnswerExec(const ::agent::v1::ExecServerMessage& exec);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_H_
