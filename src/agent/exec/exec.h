#ifndef CURSORWIRE_SRC_AGENT_EXEC_EXEC_H_
#define CURSORWIRE_SRC_AGENT_EXEC_EXEC_H_

#include <absl/status/statusor.h>

#include <optional>
#include <string_view>
#include <vector>

#include "agent/exec/stream_state.h"
#include "agent/tools/tool_offer.h"
#include "agent/v1/run.pb.h"
#include "cursorwire/exec.h"

namespace cursorwire::agent {

// The wire form of execs. Every exec must be answered, or the run waits forever. Except for
// ShellPieces(), each answer here ends with the message that closes the exec. Source:
// docs/protocol.md, execs.

// The arguments for a handler; nullopt: no handler serves this kind.
std::optional<ExecArgs> ToExecArgs(const ::agent::v1::ExecServerMessage& exec);

// Writes the handler's output, or the refusal or failure that its status stands for, in the result
// type of the kind. The contents of files may be missing from `exec`. If ShellPieces() has started
// the stream, `output` holds only what follows those pieces, and a refusal is sent as a failure.
//   An output of another kind than `exec` is answered with a throw.
std::vector<::agent::v1::AgentClientMessage> AnswerExec(const ::agent::v1::ExecServerMessage& exec,
                                                        const absl::StatusOr<ExecOutput>& output,
                                                        StreamState state = StreamState::kNew);

// The output so far of a streamed command, for an `exec` of that kind; the exec stays open. The
// event that starts the stream, with the policy in force, comes before the first piece (`kNew`).
// The bytes should be whole characters: see Utf8Pieces.
std::vector<::agent::v1::AgentClientMessage> ShellPieces(
    const ::agent::v1::ExecServerMessage& exec, std::string_view out, std::string_view err,
    StreamState state, const std::optional<SandboxPolicy>& sandbox = std::nullopt);

std::vector<::agent::v1::AgentClientMessage> AnswerRequestContext(
    const ::agent::v1::ExecServerMessage& exec, const ::agent::v1::RequestContext& context);

// The servers behind the tools of the offer.
std::vector<::agent::v1::AgentClientMessage> AnswerMcpState(
    const ::agent::v1::ExecServerMessage& exec, const ToolOffer& offer);

// Why a client refuses `action`, such as "writing files". The model reads this as the reason.
absl::Status Refusal(std::string_view action);

// For the execs of clients that have a handler. OK: it may serve such an exec, or the kind is not
// known; else why it is refused.
absl::Status CheckServed(const ::agent::v1::ExecServerMessage& exec);

// Refuses an exec of any kind: in the result type of the kind or, if it has no result type, with a
// throw. An empty or guessed result could look like a success. The refusal names the tools of the
// offer that the model can use instead; a tool call is answered as a call of an unknown tool.
std::vector<::agent::v1::AgentClientMessage> RefuseExec(const ::agent::v1::ExecServerMessage& exec,
                                                        const ToolOffer& offer);
// The refusal of a client that does not serve this exec and offers no tools.
std::vector<::agent::v1::AgentClientMessage> RefuseExec(const ::agent::v1::ExecServerMessage& exec);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_EXEC_H_
