#include "mcp/restart_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "support/status_matchers.h"

namespace cursorwire::mcp {
namespace {

using std::chrono::seconds;
using test::IsOk;
using test::StatusIs;
using ::testing::HasSubstr;

TEST(RestartPolicy, WaitsLongerEachTimeUpToABound) {
  RestartPolicy policy({.first = seconds(1), .longest = seconds(5)});
  connect::TimePoint now = connect::TimePoint() + seconds(100);
  for (const int pause : {0, 1, 2, 4, 5, 5, 5}) {
    policy.OnStart(now);
    now += seconds(1);
    policy.OnEnd(now);
    if (pause > 0) {
      EXPECT_THAT(policy.Check(now + seconds(pause) - std::chrono::milliseconds(1)),
                  StatusIs(absl::StatusCode::kUnavailable, HasSubstr("again in 1 s")));
    }
    now += seconds(pause);
    EXPECT_THAT(policy.Check(now), IsOk());
  }
  RestartPolicy endless({.first = seconds(1), .longest = std::chrono::milliseconds::max()});
  endless.OnStart(now);
  for (int i = 0; i < 100; ++i) endless.OnEnd(now);
  EXPECT_EQ(endless.next_try(), connect::TimePoint::max());
}

TEST(RestartPolicy, SaysWhenToTryWithoutACall) {
  RestartPolicy policy({.first = seconds(1), .longest = seconds(5)});
  connect::TimePoint now = connect::TimePoint() + seconds(100);
  for (const int pause : {1, 2, 4, 5, 5}) {
    policy.OnStart(now);
    policy.OnEnd(now);
    EXPECT_EQ(policy.next_try(), now + seconds(pause));
    now = policy.next_try();
  }
}

TEST(RestartPolicy, LetsTurnsTryNowAndThen) {
  RestartPolicy policy({.first = seconds(1), .longest = seconds(5)});
  connect::TimePoint now = connect::TimePoint() + seconds(100);
  policy.OnEnd(now);
  EXPECT_TRUE(policy.TakeTurnTry(now));
  EXPECT_FALSE(policy.TakeTurnTry(now + std::chrono::milliseconds(999)));
  EXPECT_TRUE(policy.TakeTurnTry(now + seconds(1)));
  EXPECT_FALSE(policy.TakeTurnTry(now + std::chrono::milliseconds(1'999)));
}

TEST(RestartPolicy, StartsAfreshAfterAGoodRun) {
  RestartPolicy policy({.first = seconds(1), .longest = seconds(5)});
  connect::TimePoint now;
  for (int i = 0; i < 20; ++i) {
    policy.OnStart(now);
    now += seconds(60);
    policy.OnEnd(now);
    EXPECT_THAT(policy.Check(now), IsOk());
  }
}

}  // namespace
}  // namespace cursorwire::mcp
