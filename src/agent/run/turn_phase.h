#ifndef CURSORWIRE_SRC_AGENT_RUN_TURN_PHASE_H_
#define CURSORWIRE_SRC_AGENT_RUN_TURN_PHASE_H_

#include <absl/status/status.h>

#include <optional>
#include <variant>

#include "cursorwire/connect/time_point.h"

namespace cursorwire::agent {

// Where a turn is in its life, and by what it ends:
//
//   working --OnTurnEnded()--> tail --------------------------.
//      |                        |  silence, or end of the call |
//    Stop()                   Stop()                           v
//      '------> stopping <------'  ---grace, or end of call--> over
//
// In the tail, the server still sends checkpoints and then ends the call; nothing that goes wrong
// there makes the turn fail. While the turn is stopping, the server has a moment to end the call by
// itself. End() leads to over from each of the others. Reads no clock. Thread-compatible.
class TurnPhase {
 public:
  bool working() const { return std::holds_alternative<Working>(phase_); }
  bool in_tail() const { return std::holds_alternative<Tail>(phase_); }
  bool stopping() const { return std::holds_alternative<Stopping>(phase_); }
  // The server said that the turn is complete, and it is not over yet.
  bool complete() const;
  bool over() const { return std::holds_alternative<Over>(phase_); }

  // The server said that the turn is complete. A turn that is stopping ends with OK from here on.
  void OnTurnEnded(connect::TimePoint now);
  // The tail is not silent, or its silence is to be counted from now on.
  void ProlongTail(connect::TimePoint now);
  // We asked the server to stop: the turn is to end with `reason`, or with OK if it is complete.
  // Only the first reason counts.
  void Stop(absl::Status reason, connect::TimePoint now);
  void End() { phase_ = Over(); }

  // What the turn ends with when its call ends with `call_status`. kUnavailable if the call ended,
  // or its connection was lost, before the turn was complete.
  absl::Status Outcome(const absl::Status& call_status) const;

  // When a tail or a stop has taken long enough; nullopt in the other phases.
  std::optional<connect::TimePoint> deadline() const;
  // Whether it has at `now`. A host that comes late to the end of a tail was not running: it gets a
  // little time, once, to read what the server sent meanwhile, such as the last checkpoint.
  bool TimeIsOver(connect::TimePoint now);

 private:
  struct Working {};
  struct Tail {
    connect::TimePoint until;
    bool was_late = false;
  };
  struct Stopping {
    absl::Status reason;
    connect::TimePoint until;
  };
  struct Over {};

  std::variant<Working, Tail, Stopping, Over> phase_;
};

}  // namespace cursorwire::agent

#endif  // CURSORWIRE_SRC_AGENT_RUN_TURN_PHASE_H_
