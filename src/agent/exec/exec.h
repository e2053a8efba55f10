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

// The wire form of execs. Each must be answered, or the run waits for ever; each answer here ends
// with the message that closes the exec. Source: docs/protocol.md, execs.

// What a handler is asked for; nullopt: no handler serves this kind.
std::optional<ExecArgs> ToExecArgs(const ::agent::v1::ExecServerMessage& exec);

// The handler's output, or the refusal or failure that its status means, in the type that belongs
// to the kind. Contents of files may be left out of `exec`. Of a stream that ShellPieces() has
// started, `output` is what comes after those pieces, and a refusal is told as a failure.
//   An output of another kind than `exec` is thrown.
std::vector<::agent::v1::AgentClientMessage> AnswerExec(const ::agent::v1::ExecServerMessage& exec,
                                                        const absl::StatusOr<ExecOutput>& output,
                                                        StreamState state = StreamState::kNew);

// What a streamed command has printed by now, for an `exec` of that kind; the exec stays open.
// Before the first piece (`kNew`) comes the event that starts the stream. The bytes should be
// whole characters: Utf8Pieces.
std::vector<::agent::v1::AgentClientMessage> ShellPieces(const ::agent::v1::ExecServerMessage& exec,
                                                         std::string_view out, std::string_view err,
                                                         StreamState state);

std::vector<::agent::v1::AgentClientMessage> AnswerRequestContext(
    const ::agent::v1::ExecServerMessage& exec, const ::agent::v1::RequestContext& context);

// Says no to any kind, in its own type where there is one, else with a throw: an empty or guessed
// result could look like a success. The model is told which tools of the offer it has instead; a
// call of a tool is answered as one that is none of them.
std::vector<::agent::v1::AgentClientMessage> RefuseExec(const ::agent::v1::ExecServerMessage& exec,
                                                        const ToolOffer& offer);
// The refusal of a client that does not serve this exec.
std::vector<::agent::v1::AgentClientMessage> RefuseExec(const ::agent::v1::ExecServerMessage& exec);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_EXEC_EXEC_H_
