#ifndef CURSORWIRE_SRC_CLIENT_TURN_RECOVERY_H_
#define CURSORWIRE_SRC_CLIENT_TURN_RECOVERY_H_

#include <absl/status/status.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cursorwire/chat.h"
#include "cursorwire/history.h"
#include "cursorwire/run.h"
#include "cursorwire/run_options.h"

namespace cursorwire {

// One attempt of a turn that has failed.
struct FailedAttempt {
  absl::Status status{};
  RunProgress progress{};
  std::string conversation_id{};  // of its Run
  bool reached_service = false;   // something of it may have arrived there
  bool state_lost = false;        // the service asked for a blob that is not there
  // Text of the answer was shown that the last checkpoint of the turn does not hold.
  bool text_since = false;
  std::optional<std::chrono::milliseconds> retry_after{};  // the service said so
};

// Decides what follows a failed attempt of a turn. The rules, where "since" means after the last
// checkpoint or, without one, since the start of the attempt:
//
//   a tool was used since           tell the service all again, with its result, unless text came
//                                   after the tool: then the turn ends
//   text came since a checkpoint    resume from it; text that comes again is left out
//   text came, and no checkpoint    the turn ends
//   nothing came since              resume from the checkpoint, or repeat the attempt
//
// So no text is given out twice, and no tool is used twice. Without I/O. Thread-compatible.
// Source: docs/protocol.md, recovery.
class Recovery {
 public:
  // `start`: what the first Run goes on from.
  Recovery(RetryPolicy policy, RunConversation start) : policy_(policy), next_(std::move(start)) {}

  // What the next Run starts with. If it has no state, its host adds the history.
  const RunConversation& next() const { return next_; }

  // `random` is from 0 to 1. nullopt: the turn ends with the status of the attempt.
  std::optional<Retrying> OnFailure(const FailedAttempt& attempt, double random);
  // The service refused the token, and there will be another: the same rules, without a delay, and
  // it does not count as one of the retries.
  std::optional<RetryKind> OnRefusedToken(const FailedAttempt& attempt);
  // Tools of the failed attempt have ended since: `progress` has their results.
  void OnLateResults(const RunProgress& progress);

 private:
  // The way to go on; nullopt: there is none.
  std::optional<RetryKind> Prepare(const FailedAttempt& attempt);
  std::optional<RetryKind> StartAnew(const FailedAttempt& attempt);
  std::optional<RetryKind> Continue(const FailedAttempt& attempt);

  const RetryPolicy policy_;
  RunConversation next_;
  bool reached_service_ = false;
  int retries_ = 0;
};

// Whether the same request may succeed soon: the connection was lost, or the service said that the
// trouble is temporary. Source: docs/protocol.md, recovery.
bool IsTemporary(const absl::Status& status, bool has_retry_after);
// The service does not take the token. Source: docs/protocol.md, error codes.
bool IsTokenRefused(const absl::Status& status);
// The service does not have what the state of the conversation refers to.
bool IsBlobLost(const absl::Status& status);

}  // namespace cursorwire

#endif  // CURSORWIRE_SRC_CLIENT_TURN_RECOVERY_H_
