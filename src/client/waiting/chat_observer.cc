#include "cursorwire/chat_observer.h"

#include <utility>

#include "client/turn/chat_turn.h"

namespace cursorwire {

ChatCall::ChatCall(std::shared_ptr<ChatTurn> turn) : turn_(std::move(turn)) {}

std::string ChatCall::conversation_id() const {
  return turn_ == nullptr ? std::string() : turn_->conversation_id();
}

void ChatCall::Cancel() const {
  if (turn_ != nullptr) turn_->Cancel();
}

}  // namespace cursorwire
