#include "agent/run/turn_phase.h"

#include <absl/strings/str_cat.h>

#include <chrono>
#include <utility>

#include "agent/events/error_message.h"
#include "agent/run/watchdog.h"
#include "base/error.h"

namespace cursorwire::agent {

using connect::TimePoint;

namespace {

// From a cancel to the reset, for the server to end the call itself.
constexpr std::chrono::milliseconds kCancelGrace{500};
// After turn_ended the server sends checkpoints and ends the call. Silence is then no failure.
constexpr std::chrono::milliseconds kTailSilence{10'000};

// The error of a turn whose call ended before it was complete.
absl::Status IncompleteStatus(const absl::Status& call_status) {
  if (call_status.ok()) {
    return MakeError(absl::StatusCode::kUnavailable,
                     "the server ended the call before the turn was complete",
                     {.origin = connect::ErrorOrigin::kTransport});
  }
  const connect::ErrorInfo info = connect::GetErrorInfo(call_status).value_or(connect::ErrorInfo{});
  const bool lost = call_status.code() == absl::StatusCode::kInternal &&
                    info.origin == connect::ErrorOrigin::kTransport && !info.http2_code;
  if (lost) {
    return MakeError(
        absl::StatusCode::kUnavailable,
        absl::StrCat("the connection was lost before the end of the turn: ", call_status.message()),
        info);
  }
  return WithErrorDetails(call_status);
}

}  // namespace

bool TurnPhase::complete() const {
  const auto* stopping = std::get_if<Stopping>(&phase_);
  return in_tail() || (stopping != nullptr && stopping->reason.ok());
}

void TurnPhase::OnTurnEnded(TimePoint now) {
  if (working()) phase_ = Tail{.until = now + kTailSilence};
  if (auto* stopping = std::get_if<Stopping>(&phase_)) stopping->reason = absl::OkStatus();
}

void TurnPhase::ProlongTail(TimePoint now) {
  if (auto* tail = std::get_if<Tail>(&phase_)) tail->until = now + kTailSilence;
}

void TurnPhase::Stop(absl::Status reason, TimePoint now) {
  if (stopping() || over()) return;
  phase_ = Stopping{.reason = in_tail() ? absl::OkStatus() : std::move(reason),
                    .until = now + kCancelGrace};
}

absl::Status TurnPhase::Outcome(const absl::Status& call_status) const {
  // The server closes right after turn_ended, in any way it likes.
  if (in_tail()) return absl::OkStatus();
  if (const auto* stopping = std::get_if<Stopping>(&phase_)) return stopping->reason;
  return IncompleteStatus(call_status);
}

std::optional<TimePoint> TurnPhase::deadline() const {
  if (const auto* tail = std::get_if<Tail>(&phase_)) return tail->until;
  if (const auto* stopping = std::get_if<Stopping>(&phase_)) return stopping->until;
  return std::nullopt;
}

bool TurnPhase::TimeIsOver(TimePoint now) {
  const std::optional<TimePoint> due = deadline();
  if (!due || *due > now) return false;
  auto* tail = std::get_if<Tail>(&phase_);
  if (tail == nullptr || now - *due <= kLateHost) return true;
  if (std::exchange(tail->was_late, true)) return true;
  tail->until = now + kLateHostGrace;
  return false;
}

}  // namespace cursorwire::agent
