#include "channel/loop/replay_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cursorwire::connect::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr size_t kRoom = ReplayLog::kMaxBytes - sizeof(std::string);

TEST(ReplayLog, KeepsWhatWasSentInOrder) {
  ReplayLog log;
  EXPECT_TRUE(log.whole());
  log.AddMessage("a");
  log.AddMessage("");
  log.AddMessage("b");
  EXPECT_THAT(log.messages(), ElementsAre("a", "", "b"));
  EXPECT_FALSE(log.send_closed());
  log.AddCloseSend();
  EXPECT_TRUE(log.send_closed());
  EXPECT_TRUE(log.whole());
}

TEST(ReplayLog, KeepsNothingWhenThereIsMoreThanItKeeps) {
  ReplayLog full;
  full.AddMessage(std::string(kRoom, 'x'));
  EXPECT_TRUE(full.whole());
  full.AddMessage("");
  EXPECT_FALSE(full.whole());
  EXPECT_THAT(full.messages(), IsEmpty());
  ReplayLog over;
  over.AddMessage(std::string(kRoom + 1, 'x'));
  EXPECT_FALSE(over.whole());
}

TEST(ReplayLog, BoundsEmptyMessagesAsWell) {
  ReplayLog log;
  size_t kept = 0;
  for (size_t i = 0; log.whole() && i < ReplayLog::kMaxBytes; ++i) {
    kept = log.messages().size();
    log.AddMessage("");
  }
  EXPECT_FALSE(log.whole());
  EXPECT_EQ(kept, ReplayLog::kMaxBytes / sizeof(std::string));
}

TEST(ReplayLog, StaysDropped) {
  ReplayLog log;
  log.AddMessage("a");
  log.Drop();
  log.AddMessage("b");
  EXPECT_FALSE(log.whole());
  EXPECT_THAT(log.messages(), IsEmpty());
}

}  // namespace
}  // namespace cursorwire::connect::internal
