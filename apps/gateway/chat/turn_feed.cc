#include "chat/turn_feed.h"

#include <utility>

#include "api/api_error.h"
#include "error_answer.h"

namespace cursor_gateway {

void TurnFeed::OnEvent(cursorwire::ChatEvent event, cursorwire::connect::CreditHold hold) {
  Push(TurnEvent{std::move(event), std::move(hold)});
}

void TurnFeed::OnEnd(absl::Status status) { Push(TurnEnd{std::move(status)}); }

void TurnFeed::OnCall(const cursorwire::ToolCall& call, cursorwire::ToolReply reply) {
  Push(TurnCall{call, std::move(reply)});
}

void TurnFeed::Push(TurnItem item) {
  {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    if (std::exchange(posted_, true)) return;
  }
  loop_.Post([self = shared_from_this()] { self->Deliver(); });
}

void TurnFeed::Deliver() {
  std::vector<TurnItem> items;
  {
    const std::lock_guard lock(mutex_);
    posted_ = false;
    items.swap(items_);
  }
  const auto listener = listener_.lock();
  if (listener == nullptr) return;
  for (TurnItem& item : items) Tell(*listener, std::move(item));
}

// The items after one that failed come, too, above all the end.
void TurnFeed::Tell(TurnListener& listener, TurnItem item) {
  const bool is_end = std::holds_alternative<TurnEnd>(item);
  if (loop_.Call([&] { listener.OnItem(std::move(item)); })) return;
  const absl::Status why = ToStatus(OwnFailure());
  loop_.Call([&] { listener.End(why); });
  if (is_end) loop_.Call([&] { listener.OnItem(TurnEnd{why}); });
}

}  // namespace cursor_gateway
