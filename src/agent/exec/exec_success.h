#ifndef CURSORWIRE_SRC_AGENT_EXEC_EXEC_SUCCESS_H_
#define CURSORWIRE_SRC_AGENT_EXEC_EXEC_SUCCESS_H_

#include <vector>

#include "agent/exec/stream_state.h"
#include "agent/v1/exec.pb.h"
#include "cursorwire/exec.h"

namespace cursorwire::agent {

// The results that hand `output` to the agent, without ids. Text that is no UTF-8 is made so. Empty
// if `output` does not belong to the kind of `exec`. `state` matters to the stream of a shell
// alone. Source: docs/protocol.md, execs.
std::vector<::agent::v1::ExecClientMessage> ExecSuccess(const ::agent::v1::ExecServerMessage& exec,
                                                        const ExecOutput& output,
                                                        StreamState state);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_EXEC_SUCCESS_H_
