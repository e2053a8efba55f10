#include "channel/loop/retry_decision.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string_view>

#include "base/error.h"

namespace cursorwire::connect::internal {
namespace {

using namespace std::chrono_literals;

absl::Status Refused() { return TransportError("GOAWAY", Replay::kSafe); }
absl::Status LostInUse() { return TransportError("lost", Replay::kUnsafe); }
absl::Status TooSlow() {
  return MakeError(absl::StatusCode::kDeadlineExceeded, "connecting took too long",
                   {.origin = ErrorOrigin::kLocal, .replay_safe = true});
}

TEST(RetryDecision, IsMadeOnlyWhereItIsSafeAndOfUse) {
  constexpr TimePoint kBegin = TimePoint() + 1000h;
  const CallOptions kNoReplay = {.auto_replay = AutoReplay::kNo};
  const CallOptions kWaits = {.wait_for_ready = WaitForReady::kYes};
  const FailedTry kReached = {.link_was_up = true, .link_connected = true, .repeatable = true};
  const FailedTry kLost = {
      .link_connected = true, .link_lost = true, .link_dead = true, .repeatable = true};
  const FailedTry kUnreachable = {.link_dead = true, .repeatable = true};
  const FailedTry kJoined = {
      .link_dead = true, .joined = true, .repeatable = true, .started = kBegin};
  const auto with = [](FailedTry failed, bool FailedTry::*field, bool value) {
    failed.*field = value;
    return failed;
  };
  struct Case {
    std::string_view name;
    FailedTry failed;
    CallOptions options;
    absl::Status status;
    RetryDecision next;
  };
  const Case kCases[] = {
      {"refused", kReached, {}, Refused(), RetryDecision::kAtOnce},
      {"lost before the server was up", kLost, {}, Refused(), RetryDecision::kAtOnce},
      {"the server may have acted", kReached, {}, LostInUse(), RetryDecision::kNone},
      {"an answer of the server",
       kReached,
       {},
       absl::UnavailableError("busy"),
       RetryDecision::kNone},
      {"not wanted", kReached, kNoReplay, Refused(), RetryDecision::kNone},
      {"cancelled",
       with(kReached, &FailedTry::cancelled, true),
       {},
       Refused(),
       RetryDecision::kNone},
      {"a second time",
       with(kReached, &FailedTry::replayed, true),
       {},
       Refused(),
       RetryDecision::kNone},
      {"too much was sent",
       with(kReached, &FailedTry::repeatable, false),
       {},
       Refused(),
       RetryDecision::kNone},
      {"unreachable", kUnreachable, {}, Refused(), RetryDecision::kNone},

      {"waits", kUnreachable, kWaits, Refused(), RetryDecision::kWhenReady},
      {"waits after a slow attempt", kUnreachable, kWaits, TooSlow(), RetryDecision::kWhenReady},
      {"waits, and was cancelled", with(kUnreachable, &FailedTry::cancelled, true), kWaits,
       Refused(), RetryDecision::kWhenReady},
      {"waits, and sent too much", with(kUnreachable, &FailedTry::repeatable, false), kWaits,
       Refused(), RetryDecision::kNone},
      {"waits, and was refused", kReached, kWaits, Refused(), RetryDecision::kAtOnce},
      {"waits, and the call's own time is over", kReached, kWaits, TooSlow(), RetryDecision::kNone},

      {"joined late", kJoined, {}, TooSlow(), RetryDecision::kAtOnce},
      {"joined late, with time left", kJoined, {.timeout = 10s}, TooSlow(), RetryDecision::kAtOnce},
      {"joined late, without time", kJoined, {.timeout = 5s}, TooSlow(), RetryDecision::kNone},
      {"joined late, not wanted", kJoined, kNoReplay, TooSlow(), RetryDecision::kNone},
      {"began the attempt",
       with(kJoined, &FailedTry::joined, false),
       {},
       TooSlow(),
       RetryDecision::kNone},
      {"joined a link that was up",
       with(kJoined, &FailedTry::link_was_up, true),
       {},
       TooSlow(),
       RetryDecision::kNone},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(DecideRetry(c.failed, c.options, c.status, kBegin + 5s), c.next);
  }
}

}  // namespace
}  // namespace cursorwire::connect::internal
