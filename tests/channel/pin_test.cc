#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cursorwire/connect/channel.h"
#include "cursorwire/connect/error_info.h"
#include "support/errors.h"
#include "support/recording_observer.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using test::Accepted;
using test::Closed;
using test::IsOk;
using test::Recorder;
using test::RecordingConnectionObserver;
using test::ServerStats;
using test::StatusIs;
using test::StreamingRequest;
using test::TestServer;
using ::testing::AnyOf;
using ::testing::ElementsAre;

std::shared_ptr<RecordingConnectionObserver> ConnectionRecorder() {
  return std::make_shared<RecordingConnectionObserver>();
}

TEST(ConnectionPin, ConnectsAtOnceAndTellsOfIt) {
  for (const Security security : {Security::kPlaintext, Security::kTls}) {
    const TestServer server({.security = security});
    const Channel channel = server.Connect();
    const auto connection = ConnectionRecorder();
    const ConnectionPin pin = channel.Pin(connection);
    EXPECT_TRUE(connection->Await(security == Security::kTls ? "up TLSv1." : "up"));
    EXPECT_EQ(server.stats().accepted, 1);
  }
}

TEST(ConnectionPin, ItsCallsShareOneConnectionWithNoOthers) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto connection = ConnectionRecorder();
  const ConnectionPin pin = channel.Pin(connection);
  const auto first = Recorder();
  const auto second = Recorder();
  const Call a = pin.Start(StreamingRequest("/echo"), first);
  const Call b = pin.Start(StreamingRequest("/echo"), second);
  EXPECT_THAT(a.Send("a"), IsOk());
  EXPECT_THAT(b.Send("b"), IsOk());
  ASSERT_TRUE(first->Await("message a"));
  ASSERT_TRUE(second->Await("message b"));
  EXPECT_EQ(server.stats().accepted, 1);
  EXPECT_THAT(channel.Unary("/unary", "shared"), IsOk());
  EXPECT_EQ(server.stats().accepted, 2);
  // The shared connection is not the first that is found.
  const ConnectionPin other = channel.Pin(ConnectionRecorder());
  ASSERT_TRUE(server.Await(Accepted(3)));
  EXPECT_THAT(channel.Unary("/unary", "shared"), IsOk());
  EXPECT_EQ(server.stats().accepted, 3);
  a.CloseSend();
  b.CloseSend();
  EXPECT_THAT(first->AwaitEnd(), IsOk());
  EXPECT_THAT(second->AwaitEnd(), IsOk());
  // It stays, for calls to come.
  const auto third = Recorder();
  pin.Start(StreamingRequest("/echo"), third).CloseSend();
  EXPECT_THAT(third->AwaitEnd(), IsOk());
  EXPECT_EQ(server.stats().accepted, 3);
  EXPECT_EQ(server.stats().closed, 0);
}

TEST(ConnectionPin, GoAwayIsSeenAndNewCallsAreRefused) {
  TestServer server;
  const Channel channel = server.Connect();
  const auto connection = ConnectionRecorder();
  const ConnectionPin pin = channel.Pin(connection);
  const auto open = Recorder();
  const Call call = pin.Start(StreamingRequest("/echo"), open);
  ASSERT_TRUE(server.Await([](const ServerStats& stats) { return stats.requests == 1; }));
  server.SendGoAway(1, 0x2);
  ASSERT_TRUE(connection->Await("goaway 1 2"));
  const auto late = Recorder();
  pin.Start(StreamingRequest("/echo"), late);
  const absl::Status refused = late->AwaitEnd();
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_TRUE(GetErrorInfo(refused)->replay_safe);
  // What was open goes on.
  EXPECT_THAT(call.Send("x"), IsOk());
  call.CloseSend();
  EXPECT_THAT(open->AwaitEnd(), IsOk());
  EXPECT_EQ(open->bytes(), "x");
  EXPECT_EQ(server.stats().accepted, 1);
}

TEST(ConnectionPin, IsNeverReplacedAfterItsConnectionDied) {
  TestServer server;
  const Channel channel = server.Connect();
  const auto connection = ConnectionRecorder();
  const ConnectionPin pin = channel.Pin(connection);
  const auto open = Recorder();
  const Call call = pin.Start(StreamingRequest("/never"), open);
  ASSERT_TRUE(server.Await([](const ServerStats& stats) { return stats.requests == 1; }));
  server.CloseConnections();
  EXPECT_THAT(open->AwaitEnd(), StatusIs(absl::StatusCode::kUnavailable));
  ASSERT_TRUE(connection->Await("down UNAVAILABLE"));
  for (int i = 0; i < 3; ++i) {
    const auto late = Recorder();
    const Call refused = pin.Start(StreamingRequest("/echo"), late);
    const absl::Status status = late->AwaitEnd();
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
    EXPECT_TRUE(GetErrorInfo(status)->replay_safe);
    EXPECT_THAT(refused.Send("x"), StatusIs(absl::StatusCode::kFailedPrecondition));
    refused.SetAlarm(TimePoint());
    refused.Wake();
    refused.Cancel();
  }
  EXPECT_THAT(channel.Unary("/unary", "shared"), IsOk());
  EXPECT_EQ(server.stats().accepted, 2);
  EXPECT_THAT(connection->lines().Get(), ElementsAre("up", "down UNAVAILABLE"));
}

TEST(ConnectionPin, TellsOfAConnectionThatCannotBeMade) {
  const auto channel = Channel::Create(test::RefusedUrl());
  ASSERT_THAT(channel, IsOk());
  const auto connection = ConnectionRecorder();
  const ConnectionPin pin = channel->Pin(connection);
  const auto observer = Recorder();
  pin.Start(StreamingRequest("/x"), observer);
  EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_TRUE(connection->Await("down"));
  EXPECT_THAT(connection->lines().Get(), ElementsAre("down UNAVAILABLE"));
}

TEST(ConnectionPin, DroppingItClosesTheConnectionOnceItsCallsHaveEnded) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto connection = ConnectionRecorder();
  std::optional<ConnectionPin> pin = channel.Pin(connection);
  std::optional<ConnectionPin> copy = pin;
  const auto observer = Recorder();
  const Call call = pin->Start(StreamingRequest("/echo"), observer);
  pin.reset();
  EXPECT_THAT(call.Send("one pin is left"), IsOk());
  ASSERT_TRUE(observer->Await("message one"));
  copy.reset();
  EXPECT_THAT(call.Send("no pin is left"), IsOk());
  ASSERT_TRUE(observer->Await("message no"));
  EXPECT_EQ(server.stats().closed, 0);
  call.CloseSend();
  EXPECT_THAT(observer->AwaitEnd(), IsOk());
  EXPECT_TRUE(server.Await(Closed(1)));
  EXPECT_TRUE(connection->Await("down CANCELLED"));
  EXPECT_THAT(connection->lines().Get(), ElementsAre("up", "down CANCELLED"));
}

TEST(ConnectionPin, DroppingAnUnusedOneClosesItsConnection) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto connection = ConnectionRecorder();
  { const ConnectionPin pin = channel.Pin(connection); }
  EXPECT_TRUE(connection->Await("down CANCELLED"));
  {
    const ConnectionPin pin = channel.Pin(ConnectionRecorder());
    ASSERT_TRUE(server.Await([](const ServerStats& stats) { return stats.accepted >= 1; }));
  }
  EXPECT_TRUE(
      server.Await([](const ServerStats& stats) { return stats.closed == stats.accepted; }));
}

TEST(ConnectionPin, OutlivesItsChannel) {
  const TestServer server;
  std::optional<Channel> channel = server.Connect();
  const auto connection = ConnectionRecorder();
  const ConnectionPin pin = channel->Pin(connection);
  ASSERT_TRUE(connection->Await("up"));
  channel.reset();
  EXPECT_THAT(connection->lines().Get(), ElementsAre("up", "down CANCELLED"));
  const auto observer = Recorder();
  const Call call = pin.Start(StreamingRequest("/echo"), observer);
  EXPECT_THAT(observer->lines().Get(), ElementsAre("end CANCELLED"));
  EXPECT_THAT(call.Send("x"), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(ConnectionPin, IsToldThatTheChannelWasDestroyedWhileItConnects) {
  const test::SilentListener listener;
  for (const char* scheme : {"http", "https"}) {
    SCOPED_TRACE(scheme);
    std::optional<Channel> channel = *Channel::Create(listener.url(scheme));
    const auto connection = ConnectionRecorder();
    const ConnectionPin pin = channel->Pin(connection);
    const auto observer = Recorder();
    pin.Start(StreamingRequest("/x"), observer);
    ASSERT_TRUE(observer->Await("start"));
    channel.reset();
    EXPECT_THAT(connection->lines().Get(), ElementsAre("down CANCELLED"));
    EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kCancelled));
  }
}

TEST(ConnectionPin, ThreadsMayStartCallsWhileTheChannelIsDestroyed) {
  const TestServer server;
  for (int round = 0; round < 10; ++round) {
    std::optional<Channel> channel = server.Connect();
    const ConnectionPin pin = channel->Pin(ConnectionRecorder());
    std::vector<std::thread> threads;
    std::atomic<int> started = 0;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&started, pin] {
        for (;;) {
          const auto observer = Recorder();
          const Call call = pin.Start(StreamingRequest("/echo"), observer);
          (void)call.Send("x");
          call.CloseSend();
          ++started;
          started.notify_all();
          const absl::Status status = observer->AwaitEnd();
          if (status.ok()) continue;
          EXPECT_THAT(status, AnyOf(StatusIs(absl::StatusCode::kCancelled),
                                    StatusIs(absl::StatusCode::kUnavailable)));
          return;
        }
      });
    }
    started.wait(0);
    channel.reset();
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace cursorwire::connect
