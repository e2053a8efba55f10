#include "terminal_session/turn_stop.h"

#include <gtest/gtest.h>

namespace cursor_chat {
namespace {

TEST(TurnStop, StopsWhatIsUnderWayOnce) {
  TurnStop stop;
  EXPECT_FALSE(stop.OnInterrupt());
  int cancelled = 0;
  {
    const TurnStop::Busy busy(stop);
    const TurnStop::Cancel cancel(stop, [&cancelled] { ++cancelled; });
    EXPECT_TRUE(stop.OnInterrupt());
    EXPECT_TRUE(stop.stopped());
    EXPECT_FALSE(stop.OnInterrupt());
    EXPECT_EQ(cancelled, 1);
  }
  EXPECT_FALSE(stop.stopped());
  EXPECT_FALSE(stop.OnInterrupt());
}

TEST(TurnStop, StopsWhatBeginsAfterwards) {
  TurnStop stop;
  const TurnStop::Busy busy(stop);
  EXPECT_TRUE(stop.OnInterrupt());
  int cancelled = 0;
  const TurnStop::Cancel cancel(stop, [&cancelled] { ++cancelled; });
  EXPECT_EQ(cancelled, 1);
}

}  // namespace
}  // namespace cursor_chat
