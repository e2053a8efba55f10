#include "cursorwire/async_chat.h"

#include <utility>

#include "client/turn/chat_turn.h"
#include "client/waiting/async_chat_events.h"

namespace cursorwire {

AsyncChat::NextEvent::NextEvent(const std::shared_ptr<Events>& events)
    : AsyncWait(events, For::kMessage), events_(events) {}

std::optional<absl::StatusOr<ChatEvent>> AsyncChat::NextEvent::await_resume() {
  if (absl::Status status = Resumed(); !status.ok()) return status;
  return events_->TakeEvent();
}

AsyncChat::AsyncChat(std::shared_ptr<ChatTurn> turn, std::shared_ptr<Events> events)
    : turn_(std::move(turn)), events_(std::move(events)) {}
AsyncChat::AsyncChat(AsyncChat&&) noexcept = default;

AsyncChat& AsyncChat::operator=(AsyncChat&& other) noexcept {
  if (this != &other) {
    GiveUp();
    turn_ = std::move(other.turn_);
    events_ = std::move(other.events_);
  }
  return *this;
}

AsyncChat::~AsyncChat() { GiveUp(); }

void AsyncChat::GiveUp() {
  if (turn_ == nullptr) return;
  events_->Drop();
  turn_->Abandon();
}

std::string AsyncChat::conversation_id() const { return turn_->conversation_id(); }
AsyncChat::NextEvent AsyncChat::Next() { return NextEvent(events_); }
void AsyncChat::Cancel() { turn_->Cancel(); }

}  // namespace cursorwire
