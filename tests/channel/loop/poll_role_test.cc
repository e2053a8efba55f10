#include "channel/loop/poll_role.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "net/poller.h"

namespace cursorwire::connect::internal {
namespace {

// A role that a background thread has passed on, that this thread has taken, and that the
// background thread wants back: a test that does not leave it, or that loses it, never ends.
class TakenRole {
 public:
  TakenRole() {
    // Where this thread was not in time, once more.
    while (!TryToTake()) background_.join();
  }
  ~TakenRole() { background_.join(); }

  PollRole* operator->() { return &*role_; }

 private:
  bool TryToTake() {
    role_.emplace(IoThread::kWhoeverWaits);
    back_ = false;
    background_ = std::thread([this] {
      role_->StartInBackground();
      role_->BeginWait();
      role_->EndWait();
      role_->PassOn();
      EXPECT_TRUE(role_->held_here());
      back_ = true;
    });
    while (!back_) {
      if (role_->AfterPost() == PollRole::Next::kDrive) return true;
      std::this_thread::yield();
    }
    return false;
  }

  std::optional<PollRole> role_;
  std::atomic<bool> back_ = false;
  std::thread background_;
};

TEST(PollRole, IsTheBackgroundThreadsFirst) {
  PollRole role(IoThread::kWhoeverWaits);
  EXPECT_FALSE(role.TakeOrWait());
  EXPECT_EQ(role.AfterPost(), PollRole::Next::kNothing);
  role.StartInBackground();
  EXPECT_TRUE(role.held_here());
  EXPECT_TRUE(role.serves_all());
  std::thread other([&] {
    EXPECT_FALSE(role.held_here());
    EXPECT_EQ(role.AfterPost(), PollRole::Next::kWakeHolder);
  });
  other.join();
  EXPECT_EQ(role.AfterPost(), PollRole::Next::kNothing) << "by the holder itself";
}

// PassOn() returns at once: otherwise the role would be this thread's for good.
TEST(PollRole, IsNotPassedOnWhileThereIsNeed) {
  PollRole role(IoThread::kWhoeverWaits);
  role.StartInBackground();
  role.PassOn();  // nobody was served
  EXPECT_TRUE(role.held_here());
  EXPECT_FALSE(role.TakeOrWait());
  role.BeginWait();
  role.EndWait();
  role.PassOn();  // another waits
  EXPECT_TRUE(role.held_here());
  role.EndWait();
  role.Reserve();
  role.PassOn();
  EXPECT_TRUE(role.held_here());
  role.Unreserve();
}

TEST(PollRole, IsNeverPassedOnIfItIsTheChannelsAlone) {
  PollRole role(IoThread::kChannelOnly);
  role.StartInBackground();
  EXPECT_FALSE(role.TakeOrWait());
  role.EndWait();
  role.PassOn();
  EXPECT_TRUE(role.held_here());
}

TEST(PollRole, ComesBackWhenNobodyTakesIt) {
  PollRole role(IoThread::kWhoeverWaits);
  role.StartInBackground();
  role.BeginWait();
  role.EndWait();
  role.PassOn();
  EXPECT_TRUE(role.held_here());
}

TEST(PollRole, IsTakenByAConsumerAndComesBackAfterIt) {
  TakenRole role;
  EXPECT_TRUE(role->held_here());
  EXPECT_TRUE(role->serves_all());
  role->Leave();
  if (!role->TakeOrWait()) return role->EndWait();  // it was away for too long
  EXPECT_TRUE(role->held_here());
  role->Leave();
}

TEST(PollRole, ComesBackAfterAConsumerThatHeldItForLong) {
  TakenRole role;
  const TimePoint end = net::Now() + 12 * PollRole::kLongestPause;
  while (net::Now() < end) std::this_thread::yield();
  EXPECT_TRUE(role->held_here());
  role->Leave();
}

TEST(PollRole, ComesBackForThoseWhoWait) {
  TakenRole role;
  role->BeginWait();
  role->Leave();
  EXPECT_FALSE(role->TakeOrWait()) << "more than one waits";
  role->EndWait();
  role->EndWait();
}

TEST(PollRole, ComesBackForAReservation) {
  TakenRole role;
  role->Reserve();
  EXPECT_FALSE(role->serves_all());
  role->Leave();
  EXPECT_NE(role->AfterPost(), PollRole::Next::kDrive);
}

TEST(PollRole, ComesBackForACommandThatWasLeft) {
  TakenRole role;
  role->Leave();
  role->CallBackground();
  EXPECT_NE(role->AfterPost(), PollRole::Next::kDrive);
}

// It looks at the network no more than that thread does.
TEST(PollRole, ComesBackFromAThreadThatPostsWithoutAPause) {
  TakenRole role;
  do {
    role->Leave();
  } while (role->AfterPost() == PollRole::Next::kDrive);
  EXPECT_FALSE(role->held_here());
}

}  // namespace
}  // namespace cursorwire::connect::internal
