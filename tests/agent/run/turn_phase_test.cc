#include "agent/run/turn_phase.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "agent/run/watchdog.h"
#include "base/error.h"
#include "support/status_matchers.h"

namespace cursorwire::agent {
namespace {

using connect::TimePoint;
using std::chrono::milliseconds;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;

constexpr TimePoint kBegin = TimePoint() + std::chrono::hours(1);

TimePoint After(int ms) { return kBegin + milliseconds(ms); }

absl::Status Unavailable() {
  return MakeError(absl::StatusCode::kUnavailable, "try later",
                   {.origin = connect::ErrorOrigin::kServer});
}

TurnPhase Ended() {
  TurnPhase phase;
  phase.OnTurnEnded(kBegin);
  return phase;
}

TurnPhase Stopped() {
  TurnPhase phase;
  phase.Stop(absl::CancelledError("enough"), kBegin);
  return phase;
}

TEST(TurnPhase, WorksUntilItIsToldOtherwise) {
  TurnPhase phase;
  phase.ProlongTail(kBegin);
  EXPECT_TRUE(phase.working());
  EXPECT_EQ(phase.deadline(), std::nullopt);
  EXPECT_FALSE(phase.TimeIsOver(After(1'000'000)));
}

TEST(TurnPhase, FailsIfTheCallEndsBeforeTheTurn) {
  const TurnPhase phase;
  EXPECT_THAT(phase.Outcome(absl::OkStatus()),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("before the turn was complete")));
  EXPECT_THAT(phase.Outcome(Unavailable()),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("try later")));
}

TEST(TurnPhase, TellsALostConnectionFromAnErrorOfTheServer) {
  connect::ErrorInfo info{.origin = connect::ErrorOrigin::kTransport};
  const auto outcome = [&info] {
    return TurnPhase().Outcome(MakeError(absl::StatusCode::kInternal, "cut", info));
  };
  EXPECT_THAT(outcome(), StatusIs(absl::StatusCode::kUnavailable,
                                  HasSubstr("lost before the end of the turn: cut")));
  info.http2_code = 2;
  EXPECT_THAT(outcome(), StatusIs(absl::StatusCode::kInternal, "cut"));
  info = {.origin = connect::ErrorOrigin::kServer};
  EXPECT_THAT(outcome(), StatusIs(absl::StatusCode::kInternal, "cut"));
}

TEST(TurnPhase, EndsWithOkBehindTheEndOfTheTurnWhateverHappens) {
  TurnPhase phase = Ended();
  EXPECT_TRUE(phase.in_tail());
  EXPECT_TRUE(phase.complete());
  EXPECT_THAT(phase.Outcome(Unavailable()), IsOk());
  phase.Stop(absl::CancelledError("enough"), After(1));
  EXPECT_TRUE(phase.stopping());
  EXPECT_THAT(phase.Outcome(Unavailable()), IsOk());
}

TEST(TurnPhase, EndsTheTailBySilence) {
  TurnPhase phase = Ended();
  EXPECT_EQ(phase.deadline(), After(10'000));
  EXPECT_FALSE(phase.TimeIsOver(After(9'999)));
  EXPECT_TRUE(phase.TimeIsOver(After(10'000)));
  phase.ProlongTail(After(5'000));
  EXPECT_FALSE(phase.TimeIsOver(After(14'999)));
  EXPECT_TRUE(phase.TimeIsOver(After(15'000)));
}

TEST(TurnPhase, TheEndOfTheTurnCountsOnce) {
  TurnPhase phase = Ended();
  phase.OnTurnEnded(After(9'000));
  EXPECT_EQ(phase.deadline(), After(10'000));
}

TEST(TurnPhase, GivesALateHostTimeToReadOnce) {
  TurnPhase phase = Ended();
  const TimePoint late = After(10'001) + kLateHost;
  EXPECT_FALSE(phase.TimeIsOver(late));
  EXPECT_EQ(phase.deadline(), late + kLateHostGrace);
  phase.ProlongTail(late);
  const TimePoint later = late + milliseconds(10'001) + kLateHost;
  EXPECT_TRUE(phase.TimeIsOver(later));
}

TEST(TurnPhase, GivesTheServerAMomentToStop) {
  TurnPhase phase = Stopped();
  EXPECT_EQ(phase.deadline(), After(500));
  EXPECT_FALSE(phase.TimeIsOver(After(499)));
  EXPECT_TRUE(phase.TimeIsOver(After(500)));
  EXPECT_TRUE(phase.TimeIsOver(After(1'000'000)));
}

TEST(TurnPhase, EndsWithTheFirstReasonToStop) {
  TurnPhase phase = Stopped();
  phase.Stop(absl::DeadlineExceededError("too long"), After(100));
  EXPECT_EQ(phase.deadline(), After(500));
  EXPECT_THAT(phase.Outcome(absl::OkStatus()), StatusIs(absl::StatusCode::kCancelled, "enough"));
  EXPECT_THAT(phase.Outcome(Unavailable()), StatusIs(absl::StatusCode::kCancelled, "enough"));
}

TEST(TurnPhase, EndsWithOkIfTheTurnIsCompleteWhileItStops) {
  TurnPhase phase = Stopped();
  EXPECT_FALSE(phase.complete());
  phase.OnTurnEnded(After(100));
  EXPECT_TRUE(phase.complete());
  EXPECT_TRUE(phase.stopping());
  EXPECT_EQ(phase.deadline(), After(500));
  EXPECT_THAT(phase.Outcome(Unavailable()), IsOk());
}

TEST(TurnPhase, StaysOver) {
  for (TurnPhase phase : {TurnPhase(), Ended(), Stopped()}) {
    phase.End();
    phase.OnTurnEnded(After(1));
    phase.ProlongTail(After(1));
    phase.Stop(absl::CancelledError("enough"), After(1));
    EXPECT_TRUE(phase.over());
    EXPECT_EQ(phase.deadline(), std::nullopt);
    EXPECT_FALSE(phase.TimeIsOver(After(1'000'000)));
  }
}

}  // namespace
}  // namespace cursorwire::agent
