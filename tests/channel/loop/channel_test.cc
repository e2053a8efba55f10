#include "cursorwire/connect/channel.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cursorwire/connect/error_info.h"
#include "support/errors.h"
#include "support/pair.h"
#include "support/recording_observer.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using test::Exchange;
using test::HasOrigin;
using test::IsOk;
using test::RecordingObserver;
using test::ServerStats;
using test::StatusIs;
using test::StreamingRequest;
using test::TestServer;

TEST(Channel, RefusesToBeCreatedWithBadArguments) {
  struct Case {
    const char* name;
    const char* url;
    ChannelOptions options;
    const char* why;
  };
  const Case cases[] = {
      {"no URL", "", {}, "bad URL"},
      {"bad port", "https://localhost:0", {}, "port"},
      {"plaintext to another machine", "http://example.com", {}, "http://"},
      {"plaintext to a name like ours", "http://127.example.com", {}, "http://"},
      {"no plaintext at all",
       "http://127.0.0.1:1",
       {.plaintext_hosts = PlaintextHosts::kNone},
       "http://"},
      {"no PEM", "https://localhost", {.tls = {.ca_pem = "no certificate"}}, "certificate"},
      {"broken PEM",
       "https://localhost",
       {.tls = {.ca_pem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"}},
       "certificate"},
      {"negative time to connect",
       "https://localhost",
       {.http2 = {.connect_timeout = std::chrono::milliseconds(-1)}},
       "http2.connect_timeout must not be negative"},
      {"negative idle time",
       "https://localhost",
       {.http2 = {.unused_timeout = std::chrono::milliseconds(-1)}},
       "http2.unused_timeout must not be negative"},
      {"negative time to wait for another call",
       "https://localhost",
       {.http2 = {.stream_timeout = std::chrono::milliseconds(-1)}},
       "http2.stream_timeout must not be negative"},
      {"no connection",
       "https://localhost",
       {.http2 = {.max_connections = 0}},
       "http2.max_connections must be 1 or more"},
      {"negative time to a PING",
       "https://localhost",
       {.http2 = {.keepalive = {.interval = std::chrono::milliseconds(-1)}}},
       "http2.keepalive.interval must not be negative"},
      {"negative time after a PING",
       "https://localhost",
       {.http2 = {.keepalive = {.timeout = std::chrono::milliseconds(-1)}}},
       "http2.keepalive.timeout must not be negative"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const auto channel = Channel::Create(c.url, c.options);
    EXPECT_THAT(channel, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.why)));
    EXPECT_THAT(channel, HasOrigin(ErrorOrigin::kLocal));
  }
}

TEST(Channel, GoesWithoutTlsWhereItIsAllowedTo) {
  const TestServer server;
  const std::string url = server.url();
  const std::string port = url.substr(url.rfind(':'));
  const struct {
    const char* name;
    std::string host;
    PlaintextHosts plaintext_hosts;
    bool allowed;
  } kCases[] = {
      {"this machine", "127.0.0.1", PlaintextHosts::kLoopback, true},
      {"this machine, anywhere", "127.0.0.1", PlaintextHosts::kAny, true},
      {"this machine, never", "127.0.0.1", PlaintextHosts::kNone, false},
      // The kernel takes it for this machine; nothing in its text says so.
      {"another", "0.0.0.0", PlaintextHosts::kLoopback, false},
      {"another, anywhere", "0.0.0.0", PlaintextHosts::kAny, true},
      {"another, never", "0.0.0.0", PlaintextHosts::kNone, false},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const auto channel =
        Channel::Create("http://" + c.host + port, {.plaintext_hosts = c.plaintext_hosts});
    if (!c.allowed) {
      EXPECT_THAT(channel, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("https://")));
      continue;
    }
    ASSERT_THAT(channel, IsOk());
    EXPECT_THAT(channel->Unary("/unary", "ask", {.timeout = test::kPatience}), IsOk());
  }
}

TEST(Channel, MakesNoConnectionBeforeTheFirstCall) {
  const TestServer server;
  { const Channel channel = server.Connect(); }
  const Channel channel = server.Connect();
  EXPECT_THAT(channel.Unary("/unary", "first"), IsOk());
  EXPECT_EQ(server.stats().accepted, 1);
}

TEST(Channel, UnaryReturnsMessageHeadersAndTrailers) {
  for (const Security security : {Security::kPlaintext, Security::kTls}) {
    const TestServer server({.security = security});
    const Channel channel = server.Connect();
    for (const std::string& message :
         {std::string("ask"), std::string(), std::string(3'000'000, 'x')}) {
      const auto response = channel.Unary("/unary", message);
      ASSERT_THAT(response, IsOk());
      EXPECT_EQ(response->message, message);
      EXPECT_EQ(response->headers.Get("x-head"), "1");
      EXPECT_EQ(response->trailers.Get("x-tail"), "2");
    }
    EXPECT_EQ(server.stats().accepted, 1);
  }
}

TEST(Channel, SendsTheHeadersOfTheCallUnderThePathOfTheUrl) {
  Headers seen;
  const TestServer server(
      {.routes = {
           {"/prefix/s.S/M", {.on_end = [&seen](Exchange& exchange) {
              seen = exchange.headers();
              exchange.SendHeaders({{":status", "200"}, {"content-type", "application/json"}});
              exchange.SendBody("{}");
              exchange.Finish();
            }}}}});
  const auto channel =
      Channel::Create(server.url() + "/prefix/", {.http2 = {.user_agent = "tests/1"}});
  ASSERT_THAT(channel, IsOk());
  const auto response = channel->Unary(
      "/s.S/M", "{}", {.headers = {{"X-Mine", "a"}, {"x-mine", "b"}}, .codec = Codec::kJson});
  ASSERT_THAT(response, IsOk());
  EXPECT_EQ(response->message, "{}");
  EXPECT_EQ(seen.Get(":authority"), server.url().substr(std::string("http://").size()));
  EXPECT_EQ(seen.Get(":method"), "POST");
  EXPECT_EQ(seen.Get("content-type"), "application/json");
  EXPECT_EQ(seen.Get("user-agent"), "tests/1");
  EXPECT_THAT(seen.GetAll("x-mine"), ElementsAre("a", "b"));
}

TEST(Channel, UnaryReturnsTheErrorOfTheServerWithItsDetails) {
  const TestServer server(
      {.routes = {{"/fails", test::AnswerHttp(404, "application/json",
                                              R"({"code":"not_found","message":"no such thing",
                                              "details":[{"type":"a.B","value":"AQI",
                                                          "debug":{"x":1}}]})")}}});
  const Channel channel = server.Connect();
  const auto response = channel.Unary("/fails", "ask");
  EXPECT_THAT(response, StatusIs(absl::StatusCode::kNotFound, HasSubstr("no such thing")));
  EXPECT_THAT(response, HasOrigin(ErrorOrigin::kServer));
  const ErrorInfo info = GetErrorInfo(response.status()).value_or(ErrorInfo{});
  EXPECT_EQ(info.http_status, 404);
  EXPECT_FALSE(info.replay_safe);
  EXPECT_THAT(info.details, ElementsAre(ErrorDetail{
                                .type = "a.B", .value = "\x01\x02", .debug_json = R"({"x":1})"}));
}

TEST(Channel, UnaryMapsWhatIsNoConnectAnswer) {
  struct Case {
    const char* path;
    test::Behaviour behaviour;
    absl::StatusCode code;
  };
  const Case cases[] = {
      {"/none", {}, absl::StatusCode::kDeadlineExceeded},
      {"/html", test::AnswerHttp(502, "text/html", "<p>"), absl::StatusCode::kUnavailable},
      {"/denied", test::AnswerHttp(403, "text/plain", "no"), absl::StatusCode::kPermissionDenied},
      {"/stream", test::SendMessages(1, 1), absl::StatusCode::kUnknown},
      {"/reset", test::ResetWith(0x7), absl::StatusCode::kUnavailable},
      {"/close", test::CloseTheConnection(), absl::StatusCode::kUnavailable},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.path);
    const TestServer server({.routes = {{c.path, c.behaviour}}});
    EXPECT_THAT(
        server.Connect().Unary(
            c.path, "ask", {.timeout = c.behaviour.on_headers || c.behaviour.on_end ? 0ms : 50ms}),
        StatusIs(c.code));
  }
}

TEST(Channel, UnaryKeepsTheLimits) {
  const TestServer server;
  const Channel channel = server.Connect();
  EXPECT_THAT(channel.Unary("/unary", "four", {.max_send_bytes = 3}),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("send limit")));
  EXPECT_THAT(channel.Unary("/unary", "four", {.max_receive_bytes = 3}),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(channel.Unary("/unary", "four", {.max_receive_bytes = 4, .max_send_bytes = 4}),
              IsOk());
}

TEST(Channel, MakesANewConnectionForTheNextCallWhenOneWasLost) {
  TestServer server;
  const Channel channel = server.Connect();
  for (int connections = 1; connections <= 3; ++connections) {
    Stream stream = channel.OpenStream("/echo");
    ASSERT_THAT(stream.Send("x"), IsOk());
    ASSERT_THAT(*stream.Next(), IsOk());
    EXPECT_EQ(server.stats().accepted, connections);
    server.CloseConnections();
    const auto lost = stream.Next();
    ASSERT_TRUE(lost.has_value());
    EXPECT_THAT(*lost, StatusIs(absl::StatusCode::kUnavailable));
    EXPECT_THAT(*lost, HasOrigin(ErrorOrigin::kTransport));
    EXPECT_FALSE(GetErrorInfo(lost->status())->replay_safe);
  }
}

TEST(Channel, GoAwayLeavesOldCallsAndSendsNewOnesElsewhere) {
  TestServer server;
  const Channel channel = server.Connect();
  Stream old = channel.OpenStream("/echo");
  ASSERT_THAT(old.Send("before"), IsOk());
  ASSERT_THAT(*old.Next(), IsOk());
  server.SendGoAway(0x7FFFFFFF, 0);
  ASSERT_THAT(old.Send("after"), IsOk());
  // After the GOAWAY on the same connection.
  EXPECT_EQ(**old.Next(), "after");
  EXPECT_THAT(channel.Unary("/unary", "new"), IsOk());
  EXPECT_EQ(server.stats().accepted, 2);
  ASSERT_THAT(old.Send("still there"), IsOk());
  EXPECT_EQ(**old.Next(), "still there");
  EXPECT_EQ(server.stats().closed, 0);
  // The old connection is closed with its last call.
  old.CloseSend();
  EXPECT_FALSE(old.Next().has_value());
  EXPECT_TRUE(server.Await([](const ServerStats& stats) { return stats.closed == 1; }));
  EXPECT_THAT(channel.Unary("/unary", "newer"), IsOk());
  EXPECT_EQ(server.stats().accepted, 2);
}

TEST(Channel, CallsAboveTheLastStreamOfAGoAwayAreSafeToRepeat) {
  TestServer server;
  const Channel channel = server.Connect();
  Stream kept = channel.OpenStream("/echo");
  ASSERT_THAT(kept.Send("x"), IsOk());
  ASSERT_THAT(*kept.Next(), IsOk());
  Stream refused = channel.OpenStream("/never", {.auto_replay = AutoReplay::kNo});
  ASSERT_TRUE(server.Await([](const ServerStats& stats) { return stats.requests == 2; }));
  server.SendGoAway(1, 0);
  const auto end = refused.Next();
  ASSERT_TRUE(end.has_value());
  EXPECT_THAT(*end, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_TRUE(GetErrorInfo(end->status())->replay_safe);
  kept.CloseSend();
  EXPECT_FALSE(kept.Next().has_value());
}

TEST(Channel, TellsOfARefusedPort) {
  const std::string url = test::RefusedUrl();
  const auto channel = Channel::Create(url);
  ASSERT_THAT(channel, IsOk());
  for (int i = 0; i < 2; ++i) {
    const auto response = channel->Unary("/x", "ask");
    EXPECT_THAT(response, StatusIs(absl::StatusCode::kUnavailable,
                                   ::testing::AllOf(HasSubstr("connection refused"),
                                                    HasSubstr(url.substr(7)))));
    EXPECT_THAT(response, HasOrigin(ErrorOrigin::kTransport));
    EXPECT_TRUE(GetErrorInfo(response.status())->replay_safe);
  }
}

TEST(Channel, TellsOfANameWithoutAddress) {
  const auto channel = Channel::Create("https://" + std::string(70, 'a'));
  ASSERT_THAT(channel, IsOk());
  EXPECT_THAT(channel->Unary("/x", ""),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("no address for")));
}

TEST(Channel, TrustsNoCertificateForAnotherName) {
  const TestServer server({.security = Security::kTls});
  const auto channel = Channel::Create(
      server.url(), {.tls = {.ca_pem = test::TestIdentity::Get().ca_pem, .server_name = "other"}});
  ASSERT_THAT(channel, IsOk());
  const auto response = channel->Unary("/unary", "secret");
  EXPECT_THAT(response, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_TRUE(GetErrorInfo(response.status())->replay_safe);
  EXPECT_EQ(server.stats().requests, 0);
}

TEST(Channel, ManyServeManyThreads) {
  const TestServer server;
  constexpr int kChannels = 6;
  constexpr int kThreads = 3;
  constexpr int kCalls = 15;
  std::atomic<int> right = 0;
  {
    std::vector<Channel> channels;
    std::vector<std::thread> threads;
    for (int i = 0; i < kChannels; ++i) channels.push_back(server.Connect());
    for (int i = 0; i < kChannels * kThreads; ++i) {
      threads.emplace_back([&right, &channel = channels[static_cast<size_t>(i % kChannels)], i] {
        for (int j = 0; j < kCalls; ++j) {
          const std::string message = absl::StrCat(i, " ", j);
          const auto response = channel.Unary("/unary", message);
          Stream stream = channel.OpenStream("/echo");
          EXPECT_THAT(stream.Send(message), IsOk());
          stream.CloseSend();
          const auto echo = stream.Next();
          if (response.ok() && response->message == message && echo && echo->ok() &&
              **echo == message && !stream.Next()) {
            ++right;
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(right, kChannels * kThreads * kCalls);
  EXPECT_EQ(server.stats().accepted, kChannels);
  EXPECT_TRUE(server.Await([](const ServerStats& stats) { return stats.closed == kChannels; }));
}

TEST(Channel, MayBeMovedWithCallsOnIt) {
  const TestServer server;
  Channel channel = server.Connect();
  Stream stream = channel.OpenStream("/echo");
  Channel moved(std::move(channel));
  ASSERT_THAT(stream.Send("x"), IsOk());
  EXPECT_EQ(**stream.Next(), "x");
  // Assignment ends what was there.
  moved = server.Connect();
  EXPECT_THAT(*stream.Next(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(moved.Unary("/unary", "y"), IsOk());
}

TEST(Channel, DestroyingItEndsCallsOfAllThreads) {
  const TestServer server;
  std::optional<Channel> channel = server.Connect();
  std::vector<std::future<absl::Status>> ends;
  std::vector<std::shared_ptr<RecordingObserver>> observers;
  for (int i = 0; i < 8; ++i) {
    ends.push_back(
        std::async(std::launch::async, [stream = channel->OpenStream("/never")]() mutable {
          absl::Status last;
          while (const auto message = stream.Next()) last = message->status();
          EXPECT_FALSE(stream.Next().has_value());
          EXPECT_THAT(stream.Send("late"), StatusIs(absl::StatusCode::kFailedPrecondition));
          stream.CloseSend();
          stream.Cancel();
          return last;
        }));
    observers.push_back(std::make_shared<RecordingObserver>());
    channel->Start(StreamingRequest("/never"), observers.back());
  }
  ASSERT_TRUE(server.Await([](const ServerStats& stats) { return stats.requests == 16; }));
  channel.reset();
  for (auto& end : ends) EXPECT_THAT(test::WaitFor(end), StatusIs(absl::StatusCode::kCancelled));
  // The destructor has returned: they have ended already.
  for (const auto& observer : observers) {
    EXPECT_EQ(observer->lines().Get().back(), "end CANCELLED");
  }
  EXPECT_TRUE(server.Await([](const ServerStats& stats) { return stats.closed == 1; }));
}

TEST(Channel, DestroyingItDoesNotWaitForTheNetwork) {
  const test::SilentListener listener;
  for (const char* scheme : {"http", "https"}) {
    SCOPED_TRACE(scheme);
    std::optional<Channel> channel = *Channel::Create(listener.url(scheme));
    const auto observer = std::make_shared<RecordingObserver>();
    const Call call = channel->Start(StreamingRequest("/x"), observer);
    EXPECT_THAT(call.Send(std::string(10'000'000, 'x')), IsOk());
    ASSERT_TRUE(observer->Await("start"));
    channel.reset();
    EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kCancelled));
  }
}

TEST(Channel, DestroyingItAtOnceEndsWhatWasJustStarted) {
  const TestServer server;
  for (int i = 0; i < 50; ++i) {
    const auto observer = std::make_shared<RecordingObserver>();
    {
      const Channel channel = server.Connect();
      EXPECT_THAT(channel.Start(StreamingRequest("/never"), observer).Send("x"),
                  AnyOf(IsOk(), StatusIs(absl::StatusCode::kFailedPrecondition)));
    }
    EXPECT_EQ(observer->lines().Get().back(), "end CANCELLED");
  }
}

// As a program does that keeps one call open: each end starts the next.
TEST(Channel, DestroyingItEndsAChainOfCallsThatStartEachOther) {
  const TestServer server;
  constexpr int kMost = 1000;
  std::vector<std::shared_ptr<RecordingObserver>> observers;
  std::optional<Channel> channel = server.Connect();
  std::function<void()> start = [&, &target = *channel] {
    if (observers.size() == kMost) return;
    observers.push_back(std::make_shared<RecordingObserver>(
        RecordingObserver::Hooks{.on_end = [&start](const absl::Status&) { start(); }}));
    target.Start(StreamingRequest("/never"), observers.back());
  };
  start();
  ASSERT_TRUE(server.Await([](const ServerStats& stats) { return stats.requests == 1; }));
  channel.reset();
  for (const auto& observer : observers) {
    EXPECT_EQ(observer->lines().Get().back(), "end CANCELLED");
  }
}

}  // namespace
}  // namespace cursorwire::connect
