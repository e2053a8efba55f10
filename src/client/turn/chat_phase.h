#ifndef CURSORWIRE_SRC_CLIENT_TURN_CHAT_PHASE_H_
#define CURSORWIRE_SRC_CLIENT_TURN_CHAT_PHASE_H_

#include <optional>
#include <string_view>

namespace cursorwire {

// Where a turn stands between its user and its attempts.
enum class ChatPhase {
  kAsking,    // an attempt is under way
  kComplete,  // the service said that the turn has ended; checkpoints may follow
  kPausing,   // an attempt has failed, and another one will follow
  kClosed,    // the user was told of the end
};
inline constexpr int kChatPhases = 4;

enum class ChatStep {
  kNews,         // the attempt has something for the user, or an action to begin
  kTurnEnded,    // the same, and it says that the turn is complete
  kPause,        // the attempt has failed in a way that another may mend
  kNextAttempt,  // the pause is over
  kEnd,          // the user is to be told of the end
};
inline constexpr int kChatSteps = 5;

// What follows. nullopt: the step is not taken in this phase.
std::optional<ChatPhase> PhaseAfter(ChatPhase phase, ChatStep step);

std::string_view NameOf(ChatPhase phase);
std::string_view NameOf(ChatStep step);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TURN_CHAT_PHASE_H_
