// Connections that come and go below a Channel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cursorwire/connect/channel.h"
#include "cursorwire/connect/error_info.h"
#include "support/errors.h"
#include "support/recording_observer.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;
using test::Accepted;
using test::Closed;
using test::IsOk;
using test::RecordingConnectionObserver;
using test::RecordingObserver;
using test::ServerStats;
using test::StatusIs;
using test::StreamingRequest;
using test::TestServer;

TEST(Reconnect, CallsThatComeWhileItConnectsShareTheAttempt) {
  TestServer server({.paused = true});
  const Channel channel = server.Connect();
  std::vector<std::shared_ptr<RecordingObserver>> observers;
  for (int i = 0; i < 30; ++i) {
    observers.push_back(std::make_shared<RecordingObserver>());
    channel.Start(StreamingRequest("/echo"), observers.back()).CloseSend();
    ASSERT_TRUE(observers.back()->Await("start"));
  }
  server.ResumeReading();
  for (const auto& observer : observers) EXPECT_THAT(observer->AwaitEnd(), IsOk());
  EXPECT_EQ(server.stats().accepted, 1);
}

TEST(Reconnect, CallsThatComeAfterALossShareTheNextConnection) {
  TestServer server;
  const Channel channel = server.Connect();
  for (int round = 1; round <= 3; ++round) {
    std::vector<std::shared_ptr<RecordingObserver>> observers;
    for (int i = 0; i < 10; ++i) {
      observers.push_back(std::make_shared<RecordingObserver>());
      channel.Start(StreamingRequest("/never"), observers.back());
    }
    ASSERT_TRUE(
        server.Await([round](const ServerStats& stats) { return stats.requests == 10 * round; }));
    EXPECT_EQ(server.stats().accepted, round);
    server.CloseConnections();
    for (const auto& observer : observers) {
      EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kUnavailable));
    }
  }
}

TEST(Reconnect, AConnectionWithoutCallsIsClosedAndMadeAnewForTheNextCall) {
  for (const Security security : {Security::kPlaintext, Security::kTls}) {
    const TestServer server({.security = security});
    const Channel channel = server.Connect({.http2 = {.unused_timeout = 20ms}});
    for (int connections = 1; connections <= 3; ++connections) {
      // The connection is closed in between, or it is not: the call does not notice.
      EXPECT_THAT(channel.Unary("/unary", "x"), IsOk());
      ASSERT_TRUE(
          server.Await([](const ServerStats& stats) { return stats.closed == stats.accepted; }));
      EXPECT_EQ(server.stats().closed, connections);
    }
  }
}

TEST(Reconnect, MakesAnotherConnectionWhereTheServerTakesNoMoreCalls) {
  const TestServer server({.max_concurrent_streams = 2});
  const Channel channel = server.Connect({.http2 = {.max_connections = 2}});
  ASSERT_THAT(channel.Unary("/unary", "the server has said how many it takes"), IsOk());
  std::vector<Stream> open;
  const auto starts = [&] {
    open.push_back(channel.OpenStream("/echo"));
    return open.back().Send("x").ok() && open.back().Next()->ok();
  };
  for (int calls = 1; calls <= 4; ++calls) {
    ASSERT_TRUE(starts());
    EXPECT_EQ(server.stats().accepted, calls <= 2 ? 1 : 2);
  }
  // There may be no more than two: it waits for the first that ends.
  Stream waits = channel.OpenStream("/echo");
  ASSERT_THAT(waits.Send("y"), IsOk());
  open.erase(open.begin() + 2, open.end());  // of the connection with the fewest, which both are
  open.erase(open.begin());
  EXPECT_EQ(**waits.Next(), "y");
  EXPECT_EQ(server.stats().accepted, 2);
}

TEST(Reconnect, PutsNoMoreCallsOnAConnectionThanAServerMayTakeBeforeItHasSaidHowMany) {
  TestServer server({.paused = true});
  const Channel channel = server.Connect({.http2 = {.max_connections = 3}});
  std::vector<std::shared_ptr<RecordingObserver>> observers;
  for (int i = 0; i < 250; ++i) {
    observers.push_back(std::make_shared<RecordingObserver>());
    channel.Start(StreamingRequest("/echo"), observers.back()).CloseSend();
    ASSERT_TRUE(observers.back()->Await("start"));
  }
  ASSERT_TRUE(server.Await(Accepted(3)));
  server.ResumeReading();
  for (const auto& observer : observers) EXPECT_THAT(observer->AwaitEnd(), IsOk());
  EXPECT_EQ(server.stats().accepted, 3);
}

TEST(Reconnect, NeitherAnOpenCallNorAPinLetsItsConnectionIdle) {
  const TestServer server;
  const Channel channel = server.Connect({.http2 = {.unused_timeout = 10ms}});
  const auto connection = std::make_shared<RecordingConnectionObserver>();
  const ConnectionPin pin = channel.Pin(connection);
  ASSERT_TRUE(connection->Await("up"));
  Stream open = channel.OpenStream("/echo");
  ASSERT_THAT(open.Send("x"), IsOk());
  ASSERT_THAT(*open.Next(), IsOk());
  // Another channel's connection idles and goes meanwhile, as often as it likes.
  const Channel other = server.Connect({.http2 = {.unused_timeout = 10ms}});
  for (int i = 1; i <= 3; ++i) {
    EXPECT_THAT(other.Unary("/unary", "x"), IsOk());
    ASSERT_TRUE(server.Await(Closed(i)));
  }
  ASSERT_THAT(open.Send("y"), IsOk());
  EXPECT_EQ(**open.Next(), "y");
  const auto pinned = std::make_shared<RecordingObserver>();
  pin.Start(StreamingRequest("/echo"), pinned).CloseSend();
  EXPECT_THAT(pinned->AwaitEnd(), IsOk());
  EXPECT_EQ(server.stats().accepted, 5);
}

TEST(Reconnect, AServerThatGivesNoSignOfLifeIsGivenUp) {
  TestServer server;
  const Channel channel =
      server.Connect({.http2 = {.keepalive = {.interval = 20ms, .timeout = 20ms}}});
  Stream stream = channel.OpenStream("/never");
  ASSERT_TRUE(server.Await([](const ServerStats& stats) { return stats.requests == 1; }));
  // Its kernel goes on to acknowledge every byte.
  server.PauseReading();
  const auto end = stream.Next();
  ASSERT_TRUE(end.has_value());
  EXPECT_THAT(*end, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("after a PING")));
  EXPECT_FALSE(GetErrorInfo(end->status())->replay_safe);
  server.ResumeReading();
  EXPECT_TRUE(server.Await(Closed(1)));
}

}  // namespace
}  // namespace cursorwire::connect
