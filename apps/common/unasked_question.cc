#include "common/unasked_question.h"

#include <cursorwire/chat_error.h>
#include <cursorwire/history.h>

#include <utility>
#include <vector>

namespace cursor_apps {

void KeepUnasked(cursorwire::Conversation& conversation, const std::string& prompt, size_t images,
                 const absl::Status& why) {
  if (absl::IsInvalidArgument(why)) return;
  std::vector<cursorwire::HistoryTurn> history = conversation.history();
  cursorwire::HistoryTurn turn{.prompt = prompt,
                               .images = images,
                               .ending = absl::IsCancelled(why) ? cursorwire::TurnEnding::kCancelled
                                                                : cursorwire::TurnEnding::kFailed};
  const bool is_kept = !history.empty() && history.back().items.empty() &&
                       history.back().ending != cursorwire::TurnEnding::kCompleted &&
                       history.back().prompt == prompt && history.back().images == images;
  if (is_kept) return;
  history.push_back(std::move(turn));
  // One that is too large for a conversation is not kept, as none is that was asked.
  conversation.SetHistory(std::move(history)).IgnoreError();
}

}  // namespace cursor_apps
