// Room: src/client/waiting
#ifndef CURSORWIRE_CHAT_ANSWER_H_
#define CURSORWIRE_CHAT_ANSWER_H_

#include <optional>
#include <string>
#include <vector>

#include "cursorwire/chat.h"

namespace cursorwire {

// A whole turn, as ChatStream::Collect() gives it. A value.
struct ChatAnswer {
  std::string conversation_id{};
  std::string text{};                      // what the agent said
  std::string thinking{};                  // its reasoning
  std::vector<ToolCallInfo> tool_calls{};  // that were completed, in order
  std::vector<std::string> notices{};      // of the service, in order
  Usage usage{};                           // of TurnEnded
  std::optional<Checkpoint> checkpoint{};  // the last one
  bool state_lost = false;                 // StateLost came: do not go on from `checkpoint`
};

}  // namespace cursorwire

#endif  // CURSORWIRE_CHAT_ANSWER_H_
