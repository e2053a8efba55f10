#ifndef CURSORWIRE_SRC_CORE_CALL_PHASE_H_
#define CURSORWIRE_SRC_CORE_CALL_PHASE_H_

#include <string_view>

namespace cursorwire::core {

// Where a call stands. From top to bottom, but that the paused ones go back when the user has
// caught up, and that each may be followed by kComplete or kDropped. After the last two its CallEnd
// is handed out, and the call is forgotten.
enum class CallPhase {
  kPrepared,        // its head depends on a message that is still to come
  kQueued,          // waits for a free HTTP/2 stream, with what it has to send so far
  kOpen,            // has a stream, and the response is not complete
  kPaused,          // the same, and the user has to release messages before there are more
  kLingering,       // all was handed out but the end, which HTTP has still to confirm
  kComplete,        // its end is known; what waits is handed out before it
  kCompletePaused,  // the same, and the user has to release messages before there are more
  kDropped,         // we ended it: there is nothing to hand out but the end
};
inline constexpr int kCallPhases = 8;

// Why a call is to end, other than by its response.
enum class EndCause {
  kCancelled,   // by its user
  kClosed,      // the connection, by its owner
  kDeadline,    // the time is over, for the whole call or for silence
  kRefused,     // by a server that goes away and was not told of the call
  kLost,        // the connection failed, or the server left
  kLingerOver,  // HTTP's end did not come in time
};
inline constexpr int kEndCauses = 6;

enum class EndAction {
  kIgnore,  // the known end wins
  kFinish,  // what came is handed out, then the end: the known one if there is one, else this
  kDrop,    // what waits is dropped: the end comes next, without anything of the user
};

// The one place that decides about the end of a call. Whoever gives a call up, or closes its
// connection, is told at once in every phase; a deadline and a lost connection take nothing that
// could be handed out without the user's help.
EndAction ActionAt(CallPhase phase, EndCause cause);

std::string_view NameOf(CallPhase phase);
std::string_view NameOf(EndCause cause);

}  // namespace cursorwire::core

#endif  // CURSORWIRE_SRC_CORE_CALL_PHASE_H_
