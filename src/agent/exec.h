#ifndef CURSORWIRE_SRC_AGENT_EXEC_H_
#define CURSORWIRE_SRC_AGENT_EXEC_H_

#include <absl/status/statusor.h>

#include <vector>

#include "agent/v1/run.pb.h"
#include "cursorwire/exec.h"

namespace cursorwire::agent {

// The wire form of execs. Each must be answered, or the run waits for ever; each answer here ends
// with the message that closes the exec. Source: docs/protocol.md, execs.

// The handler's output, or the refusal or failure that its status means, in the type that belongs
// to the kind. Contents of files may be left out of `exec`.
//   An output of another kind than `exec` is thrown.
std::vector<::agent::v1::AgentClientMessage> AnswerExec(const ::agent::v1::ExecServerMessage& exec,
                                                        const absl::StatusOr<ExecOutput>& output);

std::vector<::agent::v1::AgentClientMessage> AnswerRequestContext(
    const ::agent::v1::ExecServerMessage& exec, const ::agent::v1::RequestContext& context);

// Says no to any kind, in its own type where there is one, else with a throw: an empty or guessed
// result could look like a success.
std::vector<::agent::v1::AgentClientMessage> RefuseExec(const ::agent::v1::ExecServerMessage& exec);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_H_
