#ifndef CURSORWIRE_SRC_AGENT_HISTORY_EXEC_TEXT_H_
#define CURSORWIRE_SRC_AGENT_HISTORY_EXEC_TEXT_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "cursorwire/exec.h"
#include "cursorwire/history.h"

namespace cursorwire::agent {

// An action that the agent asked for, as a tool call of the history: its name and arguments. The
// result is empty. `call_id` as in ExecRequest.
HistoryToolCall ToHistory(const ExecArgs& args, std::string_view call_id);

// What a streamed command has printed: its start, as much as a history takes, and how much it was.
class PrintedText {
 public:
  void Append(std::string_view text);
  const std::string& start() const { return start_; }
  size_t bytes() const { return bytes_; }

 private:
  std::string start_;
  size_t bytes_ = 0;
};

// What the agent was told of it, as text. `printed` came before it piece by piece. Within the
// bounds of history.h; the end stays, since it says what became of the action.
void SetResult(const absl::StatusOr<ExecOutput>& output, const PrintedText& printed,
               HistoryToolCall& call);

// `text` as UTF-8, cut to kMaxHistoryResultBytes with a notice.
std::string BoundedResult(std::string_view text);

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_HISTORY_EXEC_TEXT_H_
