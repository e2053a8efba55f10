#include "channel/loop/retry_decision.h"

#include <chrono>
#include <optional>

#include "base/error.h"

namespace cursorwire::connect::internal {
namespace {

// The server could not be reached, and the call would wait until it can.
bool WaitsForServer(const FailedTry& failed, const CallOptions& options,
                    const absl::Status& status) {
  // kDeadlineExceeded: of the attempt to connect. If it is the call's own, the driver finds that
  // when it would try again.
  const bool unreachable = (absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status)) &&
                           !failed.link_connected && failed.link_dead;
  return unreachable && options.wait_for_ready == WaitForReady::kYes;
}

// The server refused the call, or closed before it had seen it.
bool WasRefused(const FailedTry& failed, const absl::Status& status, const ErrorInfo& info) {
  const bool refused = absl::IsUnavailable(status) && info.origin == ErrorOrigin::kTransport;
  // Where no connection can be made, another attempt would only take as long again.
  const bool reached = failed.link_was_up || failed.link_lost;
  return refused && reached && !failed.replayed;
}

// The attempt to connect took too long, but it had begun before the call: that has a right to one
// of its own.
bool JoinedLate(const FailedTry& failed, const CallOptions& options, const absl::Status& status,
                TimePoint now) {
  const bool took_too_long =
      absl::IsDeadlineExceeded(status) && failed.link_dead && !failed.link_was_up;
  const bool has_time =
      options.timeout.count() == 0 || now < After(failed.started, options.timeout);
  return took_too_long && failed.joined && has_time;
}

}  // namespace

RetryDecision DecideRetry(const FailedTry& failed, const CallOptions& options,
                          const absl::Status& status, TimePoint now) {
  const std::optional<ErrorInfo> info = GetErrorInfo(status);
  if (!info || !info->replay_safe || !failed.repeatable) return RetryDecision::kNone;
  if (WaitsForServer(failed, options, status)) return RetryDecision::kWhenReady;
  if (options.auto_replay != AutoReplay::kYes || failed.cancelled) return RetryDecision::kNone;
  const bool again = WasRefused(failed, status, *info) || JoinedLate(failed, options, status, now);
  return again ? RetryDecision::kAtOnce : RetryDecision::kNone;
}

}  // namespace cursorwire::connect::internal
