#ifndef CURSORWIRE_SRC_CHANNEL_LOOP_RETRY_DECISION_H_
#define CURSORWIRE_SRC_CHANNEL_LOOP_RETRY_DECISION_H_

#include <absl/status/status.h>

#include "cursorwire/connect/call_options.h"
#include "cursorwire/connect/time_point.h"

namespace cursorwire::connect::internal {

// A call that has failed, and the link on which it did.
struct FailedTry {
  bool link_was_up = false;
  bool link_connected = false;  // there was a connection of TCP
  bool link_lost = false;       // that the other side closed or broke
  bool link_dead = false;       // there is no connection now
  bool joined = false;          // the call began on a link that others had opened
  bool cancelled = false;       // by its user
  bool replayed = false;        // it was started again once already
  bool repeatable = false;      // all that it sent can be sent again
  TimePoint started{};          // the first time
};

enum class RetryDecision {
  kNone,       // the call ends
  kAtOnce,     // on another link
  kWhenReady,  // once the server can be reached: CallOptions::wait_for_ready
};

// Whether a call that failed with `status` is tried again: only if the server cannot have acted on
// it. Reads no clock.
RetryDecision DecideRetry(const FailedTry& failed, const CallOptions& options,
                          const absl::Status& status, TimePoint now);

}  // namespace cursorwire::connect::internal

#endif  // CURSORWIRE_SRC_CHANNEL_LOOP_RETRY_DECISION_H_
