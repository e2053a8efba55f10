#include "net/connector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "cursorwire/connect/error_info.h"
#include "support/addresses.h"
#include "support/errors.h"

namespace cursorwire::net {
namespace {

using namespace std::chrono_literals;
using test::HasOrigin;
using test::Ipv4;
using test::IsOk;
using test::MuteListener;
using test::RefusingAddress;
using test::StatusIs;
using ::testing::Eq;

// As the loop of a channel does it, on the clock of the machine.
absl::StatusOr<Socket> Drive(Connector& connector) {
  const connect::TimePoint patience = Now() + 20s;
  while (Now() < patience) {
    connector.Advance(Now());
    if (auto result = connector.TakeResult()) return *std::move(result);
    Poller poller;
    connector.AddTo(poller);
    poller.Wait(std::min(connector.NextDeadline().value_or(patience), patience));
    connector.AfterWait(poller);
  }
  return absl::DeadlineExceededError("the connector has no result");
}

// Somebody is connected to the listener.
bool Accepted(const LoopbackListener& listener) {
  Poller poller;
  poller.Add(listener.fd(), Poller::Interest::kRead);
  poller.Wait(Now() + 20s);
  return listener.Accept().has_value();
}

TEST(Connector, ConnectsToTheFirstAddressThatListens) {
  const LoopbackListener listener = *LoopbackListener::Open();
  const Address there = Ipv4(listener.port());
  const std::vector<Address> cases[] = {
      {there},
      {RefusingAddress(), there},
      {there, RefusingAddress()},
      {RefusingAddress(), RefusingAddress(), RefusingAddress(), there},
  };
  for (const std::vector<Address>& addresses : cases) {
    SCOPED_TRACE(addresses.size());
    Connector connector(addresses);
    ASSERT_THAT(Drive(connector), IsOk());
    EXPECT_TRUE(Accepted(listener));
  }
}

TEST(Connector, DoesNotWaitForAnAddressThatDoesNotAnswer) {
  const MuteListener mute;
  const LoopbackListener listener = *LoopbackListener::Open();
  Connector connector({mute.address(), Ipv4(listener.port())});
  ASSERT_THAT(Drive(connector), IsOk());
  EXPECT_TRUE(Accepted(listener));
}

TEST(Connector, BeginsTheSecondAttemptWhenTheDelayIsOver) {
  const MuteListener mute;
  const LoopbackListener listener = *LoopbackListener::Open();
  Connector connector({mute.address(), Ipv4(listener.port())});
  // A clock of the test, and the network as it is.
  const connect::TimePoint start = Now();
  connector.Advance(start);
  ASSERT_THAT(connector.NextDeadline(), Eq(start + kAttemptDelay));
  connector.Advance(start + kAttemptDelay - 1ms);
  EXPECT_FALSE(listener.Accept().has_value());
  connector.Advance(start + kAttemptDelay);
  EXPECT_THAT(connector.NextDeadline(), Eq(std::nullopt));
  EXPECT_TRUE(Accepted(listener));
}

TEST(Connector, ClosesTheOtherAttemptsWhenOneHasWon) {
  const LoopbackListener slow = *LoopbackListener::Open();
  const LoopbackListener fast = *LoopbackListener::Open();
  Connector connector({Ipv4(slow.port()), Ipv4(fast.port())});
  // Both are under way; the first to be looked at wins.
  const connect::TimePoint start = Now();
  connector.Advance(start);
  connector.Advance(start + kAttemptDelay);
  const absl::StatusOr<Socket> winner = Drive(connector);
  ASSERT_THAT(winner, IsOk());
  std::vector<Socket> accepted;
  Poller poller;
  for (const LoopbackListener* listener : {&slow, &fast}) {
    Poller waiting;
    waiting.Add(listener->fd(), Poller::Interest::kRead);
    waiting.Wait(Now() + 20s);
    accepted.push_back(listener->Accept().value());
    poller.Add(accepted.back().fd(), Poller::Interest::kRead);
  }
  poller.Wait(Now() + 20s);
  int closed = 0;
  for (const Socket& socket : accepted) {
    char byte = 0;
    const auto read = socket.Read({&byte, 1});
    if (read.ok() && *read == 0u) ++closed;
  }
  EXPECT_EQ(closed, 1);
}

TEST(Connector, TellsHowManyAddressesWereTriedInVain) {
  Connector one({RefusingAddress()});
  EXPECT_THAT(Drive(one), StatusIs(absl::StatusCode::kUnavailable, Eq("connection refused")));
  Connector three({RefusingAddress(), RefusingAddress(), RefusingAddress()});
  const absl::StatusOr<Socket> result = Drive(three);
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kUnavailable,
                               Eq("tried 3 addresses: connection refused")));
  EXPECT_THAT(result, HasOrigin(connect::ErrorOrigin::kTransport));
  EXPECT_TRUE(connect::GetErrorInfo(result.status())->replay_safe);
}

}  // namespace
}  // namespace cursorwire::net
