#ifndef CURSORWIRE_SRC_CHANNEL_LOOP_SIBLING_CALL_H_
#define CURSORWIRE_SRC_CHANNEL_LOOP_SIBLING_CALL_H_

#include <memory>

#include "cursorwire/connect/call.h"
#include "cursorwire/connect/call_options.h"
#include "cursorwire/export.h"

namespace cursorwire::connect::internal {

// What layers above the channel do on the channel of a call that they have, also when that call has
// ended or the channel is gone. Thread-safe.

// Starts another call there, as Channel::Start(). `sibling` must be a call.
CURSORWIRE_EXPORT Call StartSibling(const Call& sibling, const CallRequest& request,
                                    std::shared_ptr<CallObserver> observer);

// A call that is never made: it serves as a timer and a mailbox on the thread that holds the poll
// role. Its observer gets OnStart(), OnAlarm() and OnWake(), and OnEnd() with kCancelled after
// Call::Cancel() or when the channel is closed.
CURSORWIRE_EXPORT Call HoldSibling(const Call& sibling, std::shared_ptr<CallObserver> observer);

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_LOOP_SIBLING_CALL_H_
