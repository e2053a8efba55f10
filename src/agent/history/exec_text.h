#ifndef CURSORWIRE_SRC_AGENT_HISTORY_EXEC_TEXT_H_
#define CURSORWIRE_SRC_AGENT_HISTORY_EXEC_TEXT_H_

#include <absl/status/statusor.h>

#include <string>
#include <string_view>

#include "cursorwire/exec.h"
#include "cursorwire/history.h"

namespace cursorwire::agent {

// An action that the agent asked for, as a tool call of the history: its name and arguments. The
// result is empty. `call_id` as in ExecRequest.
HistoryToolCall ToHistory(const ExecArgs& args, std::string_view call_id);

// What the agent was told of it, as text. `piecewise`: what a streamed command printed before.
// Within the bounds of history.h.
void SetResult(const absl::StatusOr<ExecOutput>& output, std::string_view piecewise,
               HistoryToolCall& call);

// `text` as UTF-8, cut to kMaxHistoryResultBytes with a notice.
std::string BoundedResult(std::string_view text);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_HISTORY_EXEC_TEXT_H_
