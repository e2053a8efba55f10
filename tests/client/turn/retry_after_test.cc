#include "client/turn/retry_after.h"

#include <gtest/gtest.h>

namespace cursorwire {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

// 1994-11-06T08:49:37Z, the example of RFC 9110.
const std::chrono::system_clock::time_point kThen{seconds(784'111'777)};

TEST(ReadRetryAfter, TakesSeconds) {
  EXPECT_EQ(ReadRetryAfter("0", kThen), seconds(0));
  EXPECT_EQ(ReadRetryAfter("3600", kThen), seconds(3600));
  EXPECT_EQ(ReadRetryAfter("4294967295", kThen), seconds(4'294'967'295));
}

TEST(ReadRetryAfter, TakesADateInEachForm) {
  for (const char* date : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                           "Sun Nov  6 08:49:37 1994"}) {
    SCOPED_TRACE(date);
    EXPECT_EQ(ReadRetryAfter(date, kThen - seconds(90)), seconds(90));
    EXPECT_EQ(ReadRetryAfter(date, kThen - milliseconds(1)), milliseconds(1));
    EXPECT_EQ(ReadRetryAfter(date, kThen + hours(1)), seconds(0));
  }
  EXPECT_GT(ReadRetryAfter("Fri, 31 Dec 9999 23:59:59 GMT", kThen), hours(24 * 365 * 8'000));
}

TEST(ReadRetryAfter, TakesNothingElse) {
  for (const char* text : {"", "-1", "1.5", "1 s", "4294967296", "soon", "06 Nov 1994",
                           "Sun, 06 Nov 1994 08:49:37", "Sun, 99 Nov 1994 08:49:37 GMT"}) {
    EXPECT_EQ(ReadRetryAfter(text, kThen), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace cursorwire
