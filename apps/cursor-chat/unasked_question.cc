#include "unasked_question.h"

#include <cursorwire/history.h>
#include <cursorwire/turn_ending.h>

#include <utility>
#include <vector>

namespace cursor_chat {

void KeepUnasked(cursorwire::Conversation& conversation, const std::string& prompt, size_t images,
                 const absl::Status& why) {
  if (absl::IsInvalidArgument(why)) return;
  std::vector<cursorwire::HistoryTurn> history = conversation.history();
  cursorwire::HistoryTurn turn{.prompt = prompt,
                               .images = images,
                               .ending = absl::IsCancelled(why) ? cursorwire::TurnEnding::kCancelled
                                                                : cursorwire::TurnEnding::kFailed};
  if (!history.empty() && history.back() == turn) return;
  history.push_back(std::move(turn));
  // One that is too large for a conversation is not kept, as none is that was asked.
  conversation.SetHistory(std::move(history)).IgnoreError();
}

}  // namespace cursor_chat
