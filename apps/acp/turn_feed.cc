#include "acp/turn_feed.h"

#include <utility>

namespace cursor_acp {

TurnFeed::Item TurnFeed::Next() {
  taken_ = {};
  std::unique_lock lock(mutex_);
  pushed_.wait(lock, [this] { return !entries_.empty(); });
  Entry entry = std::move(entries_.front());
  entries_.pop_front();
  taken_ = std::move(entry.credit);
  return std::move(entry.item);
}

void TurnFeed::OnEvent(cursorwire::ChatEvent event, cursorwire::connect::CreditHold hold) {
  if (const auto* partial = event.As<cursorwire::ToolCallPartial>()) {
    calls_.OnStarted(partial->call.call_id);
  } else if (const auto* started = event.As<cursorwire::ToolCallStarted>()) {
    calls_.OnStarted(started->call.call_id);
  } else if (const auto* completed = event.As<cursorwire::ToolCallCompleted>()) {
    calls_.OnCompleted(completed->call.call_id);
  }
  Push({std::move(event), std::move(hold)});
}

void TurnFeed::OnEnd(absl::Status status) { Push({std::move(status)}); }

void TurnFeed::Push(Entry entry) {
  const std::lock_guard lock(mutex_);
  entries_.push_back(std::move(entry));
  pushed_.notify_one();
}

}  // namespace cursor_acp
