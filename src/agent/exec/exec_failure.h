#ifndef CURSORWIRE_SRC_AGENT_EXEC_EXEC_FAILURE_H_
#define CURSORWIRE_SRC_AGENT_EXEC_EXEC_FAILURE_H_

#include <absl/status/status.h>

#include <vector>

#include "agent/exec/stream_state.h"
#include "agent/v1/exec.pb.h"

namespace cursorwire::agent {

// The results that tell the agent of `status`, in the type of the kind of `exec`, without ids.
// Empty if there is no type for this kind. The stream of a shell that has started takes no refusal
// any more. Source: docs/protocol.md, execs.
std::vector<::agent::v1::ExecClientMessage> ExecFailure(const ::agent::v1::ExecServerMessage& exec,
                                                        const absl::Status& status,
                                                        StreamState state);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_EXEC_FAILURE_H_
