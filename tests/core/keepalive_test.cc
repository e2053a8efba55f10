#include "core/keepalive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace cursorwire::core {
namespace {

using namespace std::chrono_literals;
using ::testing::Eq;
using ::testing::Optional;
using TimePoint = connect::TimePoint;
using Verdict = Keepalive::Verdict;

constexpr TimePoint kStart = TimePoint() + 1000h;

TEST(Keepalive, WatchesNobodyBeforeItIsStarted) {
  Keepalive keepalive(30s, 15s);
  EXPECT_FALSE(keepalive.OnReceived(kStart));
  EXPECT_THAT(keepalive.NextDeadline(), Eq(std::nullopt));
  EXPECT_EQ(keepalive.Check(kStart + 1000h), Verdict::kAlive);
}

TEST(Keepalive, WantsOnePingForASilenceAndThenDeclaresThePeerDead) {
  Keepalive keepalive(30s, 15s);
  keepalive.Start(kStart);
  EXPECT_THAT(keepalive.NextDeadline(), Optional(kStart + 30s));
  EXPECT_EQ(keepalive.Check(kStart + 30s - 1ns), Verdict::kAlive);
  EXPECT_EQ(keepalive.Check(kStart + 31s), Verdict::kPing);
  // From the PING on, which was late.
  EXPECT_THAT(keepalive.NextDeadline(), Optional(kStart + 46s));
  EXPECT_EQ(keepalive.Check(kStart + 46s - 1ns), Verdict::kAlive);
  EXPECT_EQ(keepalive.Check(kStart + 46s), Verdict::kDead);
}

TEST(Keepalive, TakesAnyByteForLife) {
  Keepalive keepalive(30s, 15s);
  keepalive.Start(kStart);
  EXPECT_FALSE(keepalive.OnReceived(kStart + 20s));
  EXPECT_EQ(keepalive.Check(kStart + 30s), Verdict::kAlive);
  EXPECT_EQ(keepalive.Check(kStart + 50s), Verdict::kPing);
  EXPECT_TRUE(keepalive.OnReceived(kStart + 64s));
  EXPECT_EQ(keepalive.Check(kStart + 65s), Verdict::kAlive);
  EXPECT_THAT(keepalive.NextDeadline(), Optional(kStart + 94s));
  EXPECT_EQ(keepalive.Check(kStart + 94s), Verdict::kPing);
}

TEST(Keepalive, CountsFromItsLastStart) {
  Keepalive keepalive(30s, 15s);
  keepalive.Start(kStart);
  keepalive.Start(kStart + 10s);  // watched already
  EXPECT_THAT(keepalive.NextDeadline(), Optional(kStart + 30s));
  EXPECT_EQ(keepalive.Check(kStart + 30s), Verdict::kPing);
  keepalive.Stop();
  EXPECT_THAT(keepalive.NextDeadline(), Eq(std::nullopt));
  keepalive.Start(kStart + 40s);
  EXPECT_THAT(keepalive.NextDeadline(), Optional(kStart + 70s));
}

TEST(Keepalive, MayBeSwitchedOffInPartOrWhole) {
  Keepalive off(0s, 15s);
  off.Start(kStart);
  EXPECT_THAT(off.NextDeadline(), Eq(std::nullopt));
  Keepalive no_verdict(30s, 0s);
  no_verdict.Start(kStart);
  for (int i = 1; i <= 5; ++i) {
    EXPECT_EQ(no_verdict.Check(kStart + i * 30s), Verdict::kPing);
    EXPECT_EQ(no_verdict.Check(kStart + i * 30s), Verdict::kAlive);
  }
}

}  // namespace
}  // namespace cursorwire::core
