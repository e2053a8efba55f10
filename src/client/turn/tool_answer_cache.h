#ifndef CURSORWIRE_SRC_CLIENT_TURN_TOOL_ANSWER_CACHE_H_
#define CURSORWIRE_SRC_CLIENT_TURN_TOOL_ANSWER_CACHE_H_

#include <absl/status/statusor.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/exec.h"
#include "cursorwire/history.h"

namespace cursorwire {

// The actions that were done in the attempts of one turn, and their answers. If a later attempt
// asks for one of them again, under the same call id and with the same arguments, it gets that
// answer: nothing is done twice. An attempt may ask several times for one action, such as for a
// file before and after a change: each answer is given once, in order.
//
// Bounded: 32 MiB in all; of what is larger, it is known that it was done, and the answer is a
// failure that says so. Of more than 1024 actions, the oldest are forgotten. Thread-compatible.
class ToolAnswerCache {
 public:
  struct Answer {
    std::string out{};  // what a streamed command printed piece by piece
    std::string err{};
    bool is_cut = false;  // it printed more than that
    absl::StatusOr<ExecOutput> output{absl::UnknownError("")};
  };

  // Adds to what a streamed command printed.
  static void AddPiece(std::string_view out, std::string_view err, Answer& answer);
  // Identifies an action. Keep it beside the action while that is done.
  static HistoryToolCall KeyOf(const ExecRequest& request);

  // `attempt` counts up. An action without a call id is not remembered.
  void Add(int attempt, HistoryToolCall key, Answer answer);
  // What an earlier attempt than `attempt` got for it, once.
  std::optional<Answer> Take(int attempt, const HistoryToolCall& key);

 private:
  struct Entry {
    int attempt = 0;
    HistoryToolCall key;
    Answer answer;
  };

  std::vector<Entry> entries_;  // in the order in which they were answered
  size_t bytes_ = 0;
};

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TURN_TOOL_ANSWER_CACHE_H_
