// Room: values
#ifndef CURSORWIRE_TURN_ENDING_H_
#define CURSORWIRE_TURN_ENDING_H_

#include <absl/status/status.h>

#include "cursorwire/export.h"

namespace cursorwire {

// How a turn has ended. Each turn has exactly one ending. Files of sessions have the numbers.
enum class TurnEnding {
  kCompleted,    // the service said so (TurnEnded); what came after does not matter
  kCancelled,    // its user cancelled it, or the client is gone
  kInterrupted,  // the connection was lost, and the turn could not go on
  kFailed,       // any other error
};

// By the status of the last element: OK if that was no error. What a Conversation keeps of a turn
// that is not completed: UnfinishedTurns in conversation.h. Thread-safe.
CURSORWIRE_EXPORT TurnEnding EndingOf(const absl::Status& status);

}  // namespace cursorwire

#endif  // CURSORWIRE_TURN_ENDING_H_
