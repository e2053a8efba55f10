// Each call of a channel ends once and in time, whatever waits for its user then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "cursorwire/connect/channel.h"
#include "cursorwire/connect/error_info.h"
#include "cursorwire/connect/interceptor.h"
#include "support/errors.h"
#include "support/recording_observer.h"
#include "support/status_matchers.h"
#include "support/test_server.h"
#include "wire/envelope.h"
#include "wire/gzip.h"

namespace cursorwire::connect {
namespace {

using namespace std::chrono_literals;
using test::Behaviour;
using test::Closed;
using test::Exchange;
using test::Gone;
using test::IsOk;
using test::Lines;
using test::StatusIs;
using test::StreamingRequest;
using test::TestServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr size_t kLargeBytes = size_t{1024} * 1024;  // a window: whoever has one is paused
constexpr int kLargeMessages = 12;

enum class Then { kEnd, kWait };

// Compressed messages that are a thousand times as large as what is sent.
Behaviour SendLarge(Then then) {
  return {.on_headers = [then](Exchange& exchange) {
    std::string body;
    const std::string message = wire::Gzip(std::string(kLargeBytes, 'x'));
    for (int i = 0; i < kLargeMessages; ++i) {
      EXPECT_THAT(wire::AppendEnvelope(wire::kEnvelopeCompressed, message, body), IsOk());
    }
    EXPECT_THAT(wire::AppendEnvelope(wire::kEnvelopeEndStream, "{}", body), IsOk());
    exchange.SendHeaders({{":status", "200"},
                          {"content-type", "application/connect+proto"},
                          {"connect-content-encoding", "gzip"}});
    exchange.SendBody(body);
    if (then == Then::kEnd) exchange.Finish();
  }};
}

// Holds what it is given, and says what it hears.
class Holder : public CallObserver {
 public:
  void OnStart(const Call& call) override { call_ = call; }
  void OnMessage(const MessageView& message) override {
    held_ += message.credit;
    lines.Add("message");
  }
  void OnEnd(CallEnd end) override {
    lines.Add("end " + std::string(absl::StatusCodeToString(end.status.code())));
    call_ = Call();
  }

  Lines lines;

 protected:
  Call call_;
  size_t held_ = 0;
};

// Gives back what it holds and gives up, so that the channel hears of both at once.
class ReleasesAndCancels final : public Holder {
 public:
  void OnWake(TimePoint) override {
    call_.ReleaseCredit(std::exchange(held_, 0));
    call_.Cancel();
  }
};

// Gives back more than it ever held, in two parts that the channel hears of at once.
class ReleasesTooMuch final : public Holder {
 public:
  void OnWake(TimePoint) override {
    call_.ReleaseCredit(std::numeric_limits<size_t>::max());
    call_.ReleaseCredit(1);
  }
};

TEST(Ends, ACallThatReleasesMoreThanItHolds) {
  TestServer server(
      {.routes = {{"/many", test::SendMessages(1000, 995)}, {"/unary", test::EchoUnary()}}});
  const Channel channel = server.Connect({.http2 = {.stream_window_bytes = 100'000}});
  const auto observer = std::make_shared<ReleasesTooMuch>();
  const Call call = channel.Start({.path = "/many"}, observer);
  ASSERT_TRUE(observer->lines.Await("message", 50));
  for (int i = 0; i < 5; ++i) EXPECT_THAT(channel.Unary("/unary", ""), IsOk());
  const auto held = static_cast<int>(observer->lines.Get().size());
  EXPECT_LT(held, 1000);
  call.Wake();
  EXPECT_TRUE(observer->lines.Await("message", held + 20));
  call.Cancel();
  EXPECT_TRUE(observer->lines.AwaitLast("end CANCELLED"));
}

TEST(Ends, AStreamWhoseConnectionWasLostEndsWithItsChannel) {
  TestServer server({.routes = {{"/large", SendLarge(Then::kEnd)}, {"/unary", test::EchoUnary()}}});
  std::optional<Channel> channel = server.Connect();
  Stream stream = channel->OpenStream("/large");
  stream.CloseSend();
  ASSERT_THAT(*stream.Next(), IsOk());
  server.CloseConnections();
  ASSERT_TRUE(server.Await(Closed(1)));
  // A paused connection is not read: that it is lost shows when the first request leaves by it.
  // Then there is another.
  absl::StatusOr<UnaryResponse> response = channel->Unary("/unary", "hi");
  if (!response.ok()) response = channel->Unary("/unary", "hi");
  EXPECT_THAT(response, IsOk());
  channel.reset();
  absl::Status last;
  while (auto message = stream.Next()) last = message->status();
  EXPECT_THAT(last, StatusIs(absl::StatusCode::kCancelled));
}

TEST(Ends, ACallThatReleasesAndCancelsAtOnce) {
  for (const Then then : {Then::kEnd, Then::kWait}) {
    TestServer server({.routes = {{"/large", SendLarge(then)}}});
    const Channel channel = server.Connect();
    const auto observer = std::make_shared<ReleasesAndCancels>();
    const Call call = channel.Start({.path = "/large"}, observer);
    ASSERT_TRUE(observer->lines.Await("message"));
    call.Wake();
    EXPECT_TRUE(observer->lines.AwaitLast("end CANCELLED"));
  }
}

TEST(Ends, ACallThatHoldsAllEndsWithItsChannel) {
  for (const Then then : {Then::kEnd, Then::kWait}) {
    TestServer server({.routes = {{"/large", SendLarge(then)}}});
    std::optional<Channel> channel = server.Connect();
    const auto observer = std::make_shared<Holder>();
    const Call call = channel->Start({.path = "/large"}, observer);
    ASSERT_TRUE(observer->lines.Await("message"));
    channel.reset();
    EXPECT_TRUE(observer->lines.AwaitLast("end CANCELLED"));
  }
}

CallRequest WithLastMessage(std::string path) {
  CallRequest request = StreamingRequest(std::move(path));
  request.message_at_deadline = "bye";
  return request;
}

// Nothing of it may be overtaken by the end of the connection.
TEST(Ends, AHalfClosedCallWithLastWordsIsHeardBeforeItsChannelIsGone) {
  const TestServer server({.routes = {{"/last", test::EchoStream()}}});
  for (int i = 0; i < 20; ++i) {
    const auto holder = std::make_shared<Holder>();
    {
      const Channel channel = server.Connect();
      const Call call = channel.Start(WithLastMessage("/last"), holder);
      ASSERT_TRUE(server.Await([&](const auto& stats) { return stats.requests == i + 1; }));
      EXPECT_THAT(call.Send("word"), IsOk());
      call.CloseSend();
    }
    EXPECT_THAT(holder->lines.Get(), ElementsAre("message", "end OK"));
  }
}

// The server has its second for them, though nobody wants the connection any more.
TEST(Ends, LastWordsAreHeardOnAPinnedConnectionThatNobodyHolds) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto holder = std::make_shared<Holder>();
  const TimePoint start = std::chrono::steady_clock::now();
  {
    const ConnectionPin pin = channel.Pin(nullptr);
    CallRequest request = WithLastMessage("/never");
    request.options.timeout = 500ms;
    pin.Start(request, holder);
  }
  ASSERT_TRUE(server.Await([](const auto& stats) { return stats.complete == 1; }));
  EXPECT_TRUE(server.Await(test::Closed(1)));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 1500ms);
  EXPECT_THAT(holder->lines.Get(), ElementsAre("end DEADLINE_EXCEEDED"));
}

TEST(Ends, ACallWithLastWordsEndsWithItsChannelThoughNobodyListens) {
  const TestServer server;
  const auto holder = std::make_shared<Holder>();
  {
    const Channel channel = server.Connect();
    const Call call = channel.Start(WithLastMessage("/never"), holder);
    ASSERT_TRUE(server.Await([](const auto& stats) { return stats.requests == 1; }));
    call.CloseSend();
  }
  EXPECT_THAT(holder->lines.Get(), ElementsAre("end CANCELLED"));
}

// Otherwise the call, its memory and its connection would stay as long as the channel.
TEST(Ends, AStreamThatIsDestroyedBehindItsFirstMessageIsForgotten) {
  TestServer server({.routes = {{"/large", SendLarge(Then::kWait)}}});
  const Channel channel = server.Connect({.http2 = {.unused_timeout = 1ms}});
  for (int i = 1; i <= 5; ++i) {
    Stream stream = channel.OpenStream("/large");
    stream.CloseSend();
    ASSERT_THAT(*stream.Next(), IsOk());
  }
  EXPECT_TRUE(server.Await([](const auto& stats) { return stats.gone == 5; }));
  EXPECT_TRUE(server.Await([](const auto& stats) { return stats.closed == stats.accepted; }));
}

// --- what is started too late

// Starts the next call when one ends, up to so many.
class StartsAnother final : public CallObserver,
                            public std::enable_shared_from_this<StartsAnother> {
 public:
  StartsAnother(const ConnectionPin& pin, int count) : pin_(pin), left_(count) {}

  void OnMessage(const MessageView&) override {}
  void OnEnd(CallEnd end) override {
    last = std::move(end.status);
    if (left_-- > 0) (void)pin_.Start({.path = "/late"}, shared_from_this());
  }

  absl::Status last;
  int left() const { return left_; }

 private:
  const ConnectionPin& pin_;
  int left_;
};

class IgnoresTheConnection final : public ConnectionObserver {
 public:
  void OnDown(const ConnectionDown&) override {}
};

TEST(Ends, WhoTriesAgainOnAClosedChannelDoesNotRunOutOfStack) {
  const TestServer server;
  std::optional<Channel> channel = server.Connect();
  const ConnectionPin pin = channel->Pin(std::make_shared<IgnoresTheConnection>());
  channel.reset();
  const auto observer = std::make_shared<StartsAnother>(pin, 100'000);
  (void)pin.Start({.path = "/late"}, observer);
  EXPECT_EQ(observer->left(), -1);
  EXPECT_THAT(observer->last, StatusIs(absl::StatusCode::kCancelled));
  const std::optional<ErrorInfo> info = GetErrorInfo(observer->last);
  ASSERT_TRUE(info.has_value());
  EXPECT_FALSE(info->replay_safe);
}

TEST(Ends, ACallWithoutAnObserverIsMadeAndForgotten) {
  const TestServer server;
  const Channel channel = server.Connect();
  const Call call = channel.Start({.path = "/echo"}, nullptr);
  EXPECT_THAT(call.Send("hi"), IsOk());
  call.CloseSend();
  EXPECT_TRUE(server.Await(Gone(1)));
}

TEST(Ends, ThePathOfACallBeginsWithASlashBehindAPrefixToo) {
  const TestServer server;
  const Channel channel = *Channel::Create(server.url() + "/api");
  for (const char* path : {"", "foo"}) {
    EXPECT_THAT(channel.Unary(path, "hi").status(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("begins with '/'")));
  }
}

// --- interceptors that throw

class Throws final : public Interceptor {
 public:
  enum class In { kRequest, kHead, kEnd, kNothing };
  explicit Throws(In in) : in_(in) {}

  absl::Status OnRequest(const CallRecord&, Headers&) override {
    ++requests;
    Throw(In::kRequest);
    return absl::OkStatus();
  }
  void OnHead(const CallRecord&, const Headers&) override { Throw(In::kHead); }
  void OnEnd(const CallRecord&, const CallEnd& end) override {
    ++ends;
    last = end.status;
    Throw(In::kEnd);
  }

  std::atomic<int> requests = 0;
  std::atomic<int> ends = 0;
  absl::Status last;

 private:
  void Throw(In in) {
    if (in == in_ && !thrown_.exchange(true)) throw std::runtime_error("the metrics are full");
  }

  const In in_;
  std::atomic<bool> thrown_ = false;
};

TEST(Ends, ACallWithoutAnObserverIsInterceptedAsOthersAre) {
  const TestServer server;
  const auto interceptor = std::make_shared<Throws>(Throws::In::kNothing);
  const Channel channel = server.Connect({.interceptors = {interceptor}});
  const Call call = channel.Start({.path = "/echo"}, nullptr);
  EXPECT_THAT(call.Send("hi"), IsOk());
  call.CloseSend();
  EXPECT_TRUE(server.Await(Gone(1)));
  EXPECT_EQ(interceptor->requests, 1);
}

TEST(Ends, WhatAnInterceptorThrowsEndsThatCallAlone) {
  for (const Throws::In in : {Throws::In::kRequest, Throws::In::kHead, Throws::In::kEnd}) {
    SCOPED_TRACE(static_cast<int>(in));
    const auto outer = std::make_shared<Throws>(Throws::In::kNothing);
    const auto thrower = std::make_shared<Throws>(in);
    const TestServer server;
    const Channel channel = server.Connect({.interceptors = {outer, thrower}});
    EXPECT_THAT(channel.Unary("/unary", "hi").status(),
                StatusIs(absl::StatusCode::kInternal, HasSubstr("the metrics are full")));
    EXPECT_EQ(outer->ends, 1);
    EXPECT_EQ(thrower->ends, 1);
    EXPECT_THAT(outer->last, StatusIs(absl::StatusCode::kInternal));
    EXPECT_THAT(channel.Unary("/unary", "hi", {.timeout = 10s}), IsOk());
    EXPECT_EQ(outer->ends, 2);
  }
}

// --- what is malformed, or over before it began

TEST(Ends, MalformedRequestsAreRefusedBeforeTheyAreSent) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto with_header = [](std::string name, std::string value) {
    CallOptions options;
    options.headers.Add(std::move(name), std::move(value));
    return options;
  };
  for (const char* path : {"", "unary", "pkg.Svc/Method"}) {
    EXPECT_THAT(channel.Unary(path, "hi").status(), StatusIs(absl::StatusCode::kInvalidArgument))
        << path;
  }
  for (const auto& [name, value] : {std::pair("host", "elsewhere"), std::pair("x", " a"),
                                    std::pair("x", "a "), std::pair("x", "a\t")}) {
    EXPECT_THAT(channel.Unary("/unary", "hi", with_header(name, value)).status(),
                StatusIs(absl::StatusCode::kInvalidArgument))
        << name << ":" << value;
  }
  EXPECT_THAT(channel.Unary("/unary", "hi", {.timeout = -1ms}).status(),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_EQ(server.stats().requests, 0);
}

TEST(Ends, TheUserAgentOfACallIsTheOnlyOne) {
  std::atomic<int> agents = 0;
  std::string agent;
  TestServer server({.routes = {{"/agent", {.on_headers = [&](Exchange& exchange) {
                                   for (const Header& header : exchange.headers()) {
                                     if (header.name != "user-agent") continue;
                                     ++agents;
                                     agent = header.value;
                                   }
                                   exchange.Reset(0);
                                 }}}}});
  const Channel channel = server.Connect({.http2 = {.user_agent = "of the channel"}});
  CallOptions options;
  options.headers.Add("user-agent", "of the call");
  (void)channel.Unary("/agent", "hi", options);
  ASSERT_TRUE(server.Await(Gone(1)));
  EXPECT_EQ(agents, 1);
  EXPECT_EQ(agent, "of the call");
}

// --- alarms

class HearsAlarms final : public CallObserver {
 public:
  void OnMessage(const MessageView&) override {}
  void OnAlarm(TimePoint) override { lines.Add("alarm"); }
  void OnEnd(CallEnd) override {}

  Lines lines;
};

TEST(Ends, AnAlarmAtTheBeginningOfTimeGoesOff) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto observer = std::make_shared<HearsAlarms>();
  const Call call = channel.Start({.path = "/never"}, observer);
  call.SetAlarm(TimePoint::min());
  EXPECT_TRUE(observer->lines.Await("alarm"));
  call.Cancel();
}

}  // namespace
}  // namespace cursorwire::connect
