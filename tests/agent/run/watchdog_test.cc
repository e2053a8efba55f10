#include "agent/run/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

namespace cursorwire::agent {
namespace {

using connect::TimePoint;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr TimePoint kStart = TimePoint() + std::chrono::hours(1);
constexpr WatchdogOptions kOptions{.idle_timeout = milliseconds(1000),
                                   .heartbeats_only_timeout = milliseconds(3000),
                                   .in_flight_timeout = milliseconds(10'000)};

TimePoint At(int ms) { return kStart + milliseconds(ms); }

TEST(Watchdog, GivesUpWhenNotAByteCame) {
  Watchdog watchdog(kOptions, kStart);
  EXPECT_EQ(watchdog.deadline(), At(1000));
  EXPECT_EQ(watchdog.Overdue(At(999)), std::nullopt);
  EXPECT_THAT(watchdog.Overdue(At(1000)), Optional(HasSubstr("not a byte came")));
}

TEST(Watchdog, GivesUpWhenOnlyHeartbeatsCame) {
  Watchdog watchdog(kOptions, kStart);
  for (int ms = 500; ms < 3000; ms += 500) {
    watchdog.OnReceived(Sign::kHeartbeat, At(ms));
    EXPECT_EQ(watchdog.Overdue(At(ms)), std::nullopt);
  }
  EXPECT_EQ(watchdog.deadline(), At(3000));
  EXPECT_THAT(watchdog.Overdue(At(3000)), Optional(HasSubstr("nothing but heartbeats")));
}

TEST(Watchdog, BeginsAnewWithEachPieceOfWork) {
  Watchdog watchdog(kOptions, kStart);
  for (int ms = 900; ms < 90'000; ms += 900) {
    ASSERT_EQ(watchdog.Overdue(At(ms)), std::nullopt);
    watchdog.OnReceived(Sign::kWork, At(ms));
    ASSERT_EQ(watchdog.deadline(), At(ms + 1000));
  }
}

TEST(Watchdog, CountsTheHostsTimeAloneWhileItHasSomethingInHand) {
  Watchdog watchdog(kOptions, kStart);
  watchdog.SetWaitsFor(WaitsFor::kHost, At(500));
  EXPECT_EQ(watchdog.deadline(), At(10'500));
  watchdog.OnReceived(Sign::kHeartbeat, At(5000));
  EXPECT_EQ(watchdog.deadline(), At(10'500));
  watchdog.OnAnswer(At(6000));
  EXPECT_EQ(watchdog.Overdue(At(15'999)), std::nullopt);
  EXPECT_THAT(watchdog.Overdue(At(16'000)), Optional(HasSubstr("by this client for 10000 ms")));
}

TEST(Watchdog, GivesTheServerItsFullTimeBehindTheHostsAnswer) {
  Watchdog watchdog(kOptions, kStart);
  watchdog.SetWaitsFor(WaitsFor::kHost, At(500));
  watchdog.SetWaitsFor(WaitsFor::kServer, At(9000));
  EXPECT_EQ(watchdog.deadline(), At(10'000));
  watchdog.SetWaitsFor(WaitsFor::kServer, At(9500));  // no change
  EXPECT_EQ(watchdog.deadline(), At(10'000));
}

TEST(Watchdog, HasNoDeadlineWithoutBudgets) {
  Watchdog watchdog({.idle_timeout = {}, .heartbeats_only_timeout = {}, .in_flight_timeout = {}},
                    kStart);
  EXPECT_EQ(watchdog.deadline(), std::nullopt);
  EXPECT_EQ(watchdog.Overdue(At(1'000'000'000)), std::nullopt);
  watchdog.SetWaitsFor(WaitsFor::kHost, kStart);
  EXPECT_EQ(watchdog.deadline(), std::nullopt);
}

TEST(Watchdog, LeavesEachBudgetToItself) {
  Watchdog silent({.idle_timeout = milliseconds(7), .heartbeats_only_timeout = {}}, kStart);
  EXPECT_EQ(silent.deadline(), At(7));
  Watchdog idle({.idle_timeout = {}, .heartbeats_only_timeout = milliseconds(8)}, kStart);
  EXPECT_EQ(idle.deadline(), At(8));
}

// A stopped process comes late to its own deadline, and what the server sent waits to be read.
TEST(Watchdog, LetsAHostThatWasNotRunningReadFirst) {
  Watchdog watchdog(kOptions, kStart);
  EXPECT_EQ(watchdog.Overdue(At(600'000)), std::nullopt);
  EXPECT_EQ(watchdog.deadline(), At(605'000));
  EXPECT_THAT(watchdog.Overdue(At(605'000)), Optional(HasSubstr("not a byte")));
  watchdog.OnReceived(Sign::kWork, At(605'000));
  EXPECT_EQ(watchdog.Overdue(At(605'999)), std::nullopt);
  EXPECT_EQ(watchdog.deadline(), At(606'000));
}

// Heartbeats that a late host reads are no work, and give it no more time.
TEST(Watchdog, GivesALateHostItsTimeOnce) {
  Watchdog watchdog(kOptions, kStart);
  watchdog.OnReceived(Sign::kHeartbeat, At(2900));
  EXPECT_EQ(watchdog.Overdue(At(6000)), std::nullopt);
  for (int ms = 6000; ms < 11'000; ms += 500) {
    watchdog.OnReceived(Sign::kHeartbeat, At(ms));
    EXPECT_EQ(watchdog.Overdue(At(ms)), std::nullopt);
  }
  EXPECT_EQ(watchdog.deadline(), At(11'000));
  EXPECT_THAT(watchdog.Overdue(At(11'000)), Optional(HasSubstr("nothing but heartbeats")));
}

TEST(Watchdog, GivesAHostTimeEachTimeThatItWasNotRunning) {
  Watchdog watchdog(kOptions, kStart);
  watchdog.SetWaitsFor(WaitsFor::kHost, kStart);
  EXPECT_EQ(watchdog.Overdue(At(60'000)), std::nullopt);
  watchdog.OnAnswer(At(61'000));
  EXPECT_EQ(watchdog.deadline(), At(71'000));
  EXPECT_EQ(watchdog.Overdue(At(90'000)), std::nullopt);
}

TEST(Watchdog, BeginsAnewWhenTheHostDidNotRead) {
  Watchdog watchdog(kOptions, kStart);
  watchdog.Restart(At(1000));
  EXPECT_EQ(watchdog.Overdue(At(1000)), std::nullopt);
  EXPECT_EQ(watchdog.deadline(), At(2000));
}

}  // namespace
}  // namespace cursorwire::agent
