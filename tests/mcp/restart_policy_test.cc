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

TEST(RestartPolicy, WaitsLongerEachTimeAndGivesUp) {
  RestartPolicy policy;
  connect::TimePoint now = connect::TimePoint() + seconds(100);
  for (const int pause : {0, 1, 2, 4}) {
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
  policy.OnStart(now);
  policy.OnEnd(now);
  EXPECT_THAT(policy.Check(now + seconds(100'000)),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("5 times in a row")));
}

TEST(RestartPolicy, StartsAfreshAfterAGoodRun) {
  RestartPolicy policy;
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
