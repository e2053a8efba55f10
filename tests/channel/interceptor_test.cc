#include "cursorwire/connect/interceptor.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "cursorwire/connect/channel.h"
#include "net/poller.h"
#include "support/errors.h"
#include "support/recording_observer.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using test::Exchange;
using test::IsOk;
using test::Lines;
using test::RecordingConnectionObserver;
using test::RecordingObserver;
using test::StatusIs;
using test::StreamingRequest;
using test::TestServer;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Writes down what it sees after its name, and keeps the record of the last end.
class RecordingInterceptor final : public Interceptor {
 public:
  RecordingInterceptor(std::string name, Lines& lines) : name_(std::move(name)), lines_(lines) {}

  // Set them before the call is started.
  Header header{};
  absl::Status refusal = absl::OkStatus();
  // Read them when the call has ended.
  CallRecord record{};
  CallEnd end{};
  Headers head{};
  std::thread::id end_thread{};

  absl::Status OnRequest(const CallRecord& call, Headers& headers) override {
    lines_.Add(absl::StrCat(name_, " request ", call.path, " ", headers.size()));
    if (!header.name.empty()) headers.Add(header.name, header.value);
    return refusal;
  }
  void OnHead(const CallRecord& call, const Headers& headers) override {
    head = headers;
    lines_.Add(absl::StrCat(name_, " head ", call.http_status));
  }
  void OnEnd(const CallRecord& call, const CallEnd& call_end) override {
    record = call;
    end = call_end;
    end_thread = std::this_thread::get_id();
    lines_.Add(absl::StrCat(name_, " end ", absl::StatusCodeToString(call_end.status.code())));
  }

 private:
  const std::string name_;
  Lines& lines_;
};

class InterceptorTest : public ::testing::Test {
 protected:
  std::vector<std::string> Saw() const { return lines_.Get(); }

  Lines lines_;
  const std::shared_ptr<RecordingInterceptor> outer_ =
      std::make_shared<RecordingInterceptor>("outer", lines_);
  const std::shared_ptr<RecordingInterceptor> inner_ =
      std::make_shared<RecordingInterceptor>("inner", lines_);
  const ChannelOptions options_{.interceptors = {outer_, inner_}};
};

TEST_F(InterceptorTest, TheFirstIsTheOutermost) {
  const TestServer server;
  const Channel channel = server.Connect(options_);
  const auto observer = std::make_shared<RecordingObserver>(RecordingObserver::Hooks{
      .on_head = [this](const Call&) { lines_.Add("observer head"); },
      .on_end = [this](const absl::Status&) { lines_.Add("observer end"); }});
  const Call call = channel.Start(StreamingRequest("/echo"), observer);
  EXPECT_THAT(call.Send("x"), IsOk());
  call.CloseSend();
  EXPECT_THAT(observer->AwaitEnd(), IsOk());
  EXPECT_THAT(Saw(), ElementsAre("outer request /echo 0", "inner request /echo 0", "inner head 200",
                                 "outer head 200", "observer head", "inner end OK", "outer end OK",
                                 "observer end"));
}

TEST_F(InterceptorTest, SeesEveryWayOfStartingACall) {
  const TestServer server;
  const Channel channel = server.Connect({.interceptors = {outer_}});
  int ends = 0;
  const auto one_more_end = [&] { return lines_.Await("outer end OK", ++ends); };

  EXPECT_THAT(channel.Unary("/unary", "x"), IsOk());
  EXPECT_TRUE(one_more_end());
  EXPECT_EQ(outer_->record.kind, CallKind::kUnary);

  Stream stream = channel.OpenStream("/echo");
  stream.CloseSend();
  EXPECT_FALSE(stream.Next().has_value());
  EXPECT_TRUE(one_more_end());
  EXPECT_EQ(outer_->record.kind, CallKind::kStreaming);

  const auto raw = std::make_shared<RecordingObserver>();
  channel.Start({.path = "/unary", .kind = CallKind::kRaw}, raw).CloseSend();
  EXPECT_THAT(raw->AwaitEnd(), IsOk());
  EXPECT_TRUE(one_more_end());
  EXPECT_EQ(outer_->record.kind, CallKind::kRaw);

  const ConnectionPin pin = channel.Pin(std::make_shared<RecordingConnectionObserver>());
  const auto pinned = std::make_shared<RecordingObserver>();
  pin.Start(StreamingRequest("/echo"), pinned).CloseSend();
  EXPECT_THAT(pinned->AwaitEnd(), IsOk());
  EXPECT_TRUE(one_more_end());
  EXPECT_EQ(Saw().size(), 12u);
}

TEST_F(InterceptorTest, ChangesTheHeadersThatAreSent) {
  Headers seen;
  const TestServer server({.routes = {{"/unary", {.on_end = [&](Exchange& exchange) {
                                         seen = exchange.headers();
                                         test::EchoUnary().on_end(exchange);
                                       }}}}});
  outer_->header = {"Authorization", "Bearer 1"};
  inner_->header = {"x-more", "2"};
  const Channel channel = server.Connect(options_);
  EXPECT_THAT(channel.Unary("/unary", "x", {.headers = {{"x-mine", "0"}}}), IsOk());
  EXPECT_EQ(seen.Get("authorization"), "Bearer 1");
  EXPECT_EQ(seen.Get("x-more"), "2");
  EXPECT_EQ(seen.Get("x-mine"), "0");
  EXPECT_EQ(Saw()[1], "inner request /unary 2");
  EXPECT_EQ(outer_->head.Get("x-head"), "1");
}

TEST_F(InterceptorTest, MayRefuseACallBeforeItIsMade) {
  const TestServer server;
  const Channel channel = server.Connect(options_);
  outer_->refusal = absl::PermissionDeniedError("not today");
  const auto observer = std::make_shared<RecordingObserver>();
  const Call call = channel.Start(StreamingRequest("/echo"), observer);
  EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kPermissionDenied, "not today"));
  EXPECT_THAT(observer->lines().Get(), ElementsAre("end PERMISSION_DENIED"));
  EXPECT_NE(outer_->end_thread, std::this_thread::get_id()) << "not the channel's thread";
  EXPECT_THAT(call.Send("x"), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(channel.Unary("/unary", "x"), StatusIs(absl::StatusCode::kPermissionDenied));
  // Those after it saw neither a request nor an end.
  EXPECT_THAT(Saw(), ElementsAre("outer request /echo 0", "outer end PERMISSION_DENIED",
                                 "outer request /unary 0", "outer end PERMISSION_DENIED"));
  EXPECT_EQ(server.stats().accepted, 0);
}

TEST_F(InterceptorTest, HearsOfTheRefusalOfOneBehindIt) {
  const TestServer server;
  const Channel channel = server.Connect(options_);
  inner_->refusal = absl::UnauthenticatedError("no token");
  const ConnectionPin pin = channel.Pin(std::make_shared<RecordingConnectionObserver>());
  const auto observer = std::make_shared<RecordingObserver>();
  pin.Start(StreamingRequest("/echo"), observer);
  EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kUnauthenticated));
  EXPECT_THAT(Saw(), ElementsAre("outer request /echo 0", "inner request /echo 0",
                                 "inner end UNAUTHENTICATED", "outer end UNAUTHENTICATED"));
}

TEST_F(InterceptorTest, KnowsTimesStatusTrailersAndCounts) {
  const TestServer server({.routes = {{"/count", {.on_end = [](Exchange& exchange) {
                                         exchange.SendMessage("four");
                                         exchange.SendMessage("");
                                         exchange.EndStream(
                                             R"({"error":{"code":"not_found","message":"none"},
                                                 "metadata":{"x-tail":["t"]}})");
                                       }}}}});
  const Channel channel = server.Connect(options_);
  const TimePoint before = net::Now();
  const auto observer = std::make_shared<RecordingObserver>();
  const Call call = channel.Start(StreamingRequest("/count"), observer);
  EXPECT_THAT(call.Send("a"), IsOk());
  EXPECT_THAT(call.Send("bc"), IsOk());
  EXPECT_THAT(call.Send("def"), IsOk());
  call.CloseSend();
  EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kNotFound));
  for (const auto& interceptor : {outer_, inner_}) {
    const CallRecord& record = interceptor->record;
    EXPECT_EQ(record.sent, (MessageCount{.messages = 3, .bytes = 6}));
    EXPECT_EQ(record.received, (MessageCount{.messages = 2, .bytes = 4}));
    EXPECT_EQ(record.http_status, 200);
    ASSERT_TRUE(record.head.has_value());
    EXPECT_LE(before, record.start);
    EXPECT_LE(record.start, *record.head);
    EXPECT_LE(*record.head, record.end);
    EXPECT_LE(record.end, net::Now());
    EXPECT_THAT(interceptor->end.status, StatusIs(absl::StatusCode::kNotFound, HasSubstr("none")));
    EXPECT_EQ(interceptor->end.trailers.Get("x-tail"), "t");
  }
}

// Writes down the messages of both directions.
class MessageInterceptor final : public Interceptor {
 public:
  MessageInterceptor(std::string name, Lines& lines) : name_(std::move(name)), lines_(lines) {}

  void OnSend(const CallRecord& call, std::string_view message) override {
    lines_.Add(absl::StrCat(name_, " send ", call.path, " ", std::string(message)));
  }
  void OnMessage(const CallRecord& call, std::string_view message) override {
    lines_.Add(absl::StrCat(name_, " message ", call.path, " ", std::string(message)));
  }

 private:
  const std::string name_;
  Lines& lines_;
};

TEST_F(InterceptorTest, SeesTheMessagesOfBothDirections) {
  const TestServer server;
  const Channel channel =
      server.Connect({.interceptors = {std::make_shared<MessageInterceptor>("outer", lines_),
                                       std::make_shared<MessageInterceptor>("inner", lines_)}});
  const auto observer = std::make_shared<RecordingObserver>(
      RecordingObserver::Hooks{.on_message = [this](const Call&, std::string_view message) {
        lines_.Add("observer message " + std::string(message));
      }});
  const Call call = channel.Start(StreamingRequest("/echo"), observer);
  EXPECT_THAT(call.Send("a"), IsOk());
  EXPECT_TRUE(observer->Await("message a"));
  call.CloseSend();
  EXPECT_THAT(observer->AwaitEnd(), IsOk());
  EXPECT_THAT(Saw(),
              ElementsAre("outer send /echo a", "inner send /echo a", "inner message /echo a",
                          "outer message /echo a", "observer message a"));
  EXPECT_THAT(channel.Unary("/unary", "b"), IsOk());
  EXPECT_EQ(Saw()[5], "outer send /unary b");
  EXPECT_EQ(Saw().size(), 9u);
}

TEST_F(InterceptorTest, SeesNoMessageOfARefusedOrEndedCall) {
  const TestServer server;
  outer_->refusal = absl::PermissionDeniedError("not today");
  const Channel channel = server.Connect(
      {.interceptors = {std::make_shared<MessageInterceptor>("messages", lines_), outer_}});
  const auto observer = std::make_shared<RecordingObserver>();
  const Call call = channel.Start(StreamingRequest("/echo"), observer);
  (void)call.Send("too late, or thrown away");
  EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kPermissionDenied));
  EXPECT_THAT(Saw(), ElementsAre("outer request /echo 0", "outer end PERMISSION_DENIED"));
}

// Throws at the first message of one direction.
class ThrowingInterceptor final : public Interceptor {
 public:
  explicit ThrowingInterceptor(bool at_send) : at_send_(at_send) {}

  void OnSend(const CallRecord&, std::string_view) override {
    if (at_send_) throw std::runtime_error("no sending");
  }
  void OnMessage(const CallRecord&, std::string_view) override {
    if (!at_send_) throw std::runtime_error("no receiving");
  }

 private:
  const bool at_send_;
};

TEST_F(InterceptorTest, WhatOneThrowsAtAMessageEndsTheCall) {
  const TestServer server;
  for (const bool at_send : {true, false}) {
    SCOPED_TRACE(at_send);
    const Channel channel =
        server.Connect({.interceptors = {std::make_shared<ThrowingInterceptor>(at_send)}});
    const auto observer = std::make_shared<RecordingObserver>();
    const Call call = channel.Start(StreamingRequest("/echo"), observer);
    EXPECT_THAT(call.Send("x"), IsOk());
    EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kInternal,
                                               HasSubstr(at_send ? "OnSend(): no sending"
                                                                 : "OnMessage(): no receiving")));
  }
}

TEST_F(InterceptorTest, HearsOneEndHoweverACallEnds) {
  const TestServer server({.routes = {{"/never", test::NeverAnswer()},
                                      {"/reset", test::ResetWith(0x2)},
                                      {"/close", test::CloseTheConnection()}}});
  struct Case {
    const char* path;
    absl::StatusCode code;
    bool cancelled = false;
  };
  const Case cases[] = {{"/never", absl::StatusCode::kCancelled, true},
                        {"/reset", absl::StatusCode::kInternal},
                        {"/close", absl::StatusCode::kUnavailable}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.path);
    const auto observer = std::make_shared<RecordingObserver>();
    const size_t lines_before = Saw().size();
    const Channel channel = server.Connect({.interceptors = {outer_}});
    const Call call = channel.Start(StreamingRequest(c.path), observer);
    if (c.cancelled) call.Cancel();
    EXPECT_THAT(observer->AwaitEnd(), StatusIs(c.code));
    EXPECT_EQ(outer_->end.status.code(), c.code);
    EXPECT_FALSE(outer_->record.head.has_value());
    EXPECT_EQ(Saw().size(), lines_before + 2);
  }
}

TEST_F(InterceptorTest, HearsTheEndWithTheChannel) {
  const TestServer server;
  std::optional<Channel> channel = server.Connect(options_);
  const ConnectionPin pin = channel->Pin(std::make_shared<RecordingConnectionObserver>());
  const auto observer = std::make_shared<RecordingObserver>();
  channel->Start(StreamingRequest("/never"), observer);
  channel.reset();
  EXPECT_EQ(Saw().back(), "outer end CANCELLED");
  // Where the channel is closed, on the thread that starts the call; a refusal as well.
  for (const absl::Status& refusal : {absl::OkStatus(), absl::InternalError("refused")}) {
    inner_->refusal = refusal;
    const size_t lines_before = Saw().size();
    pin.Start(StreamingRequest("/echo"), std::make_shared<RecordingObserver>());
    EXPECT_EQ(Saw().size(), lines_before + 4);
    EXPECT_EQ(outer_->end_thread, std::this_thread::get_id());
    EXPECT_THAT(outer_->end.status, StatusIs(absl::StatusCode::kCancelled));
  }
}

TEST_F(InterceptorTest, LetsEverythingElseReachTheObserver) {
  const TestServer server;
  const Channel channel = server.Connect(options_);
  const auto observer = std::make_shared<RecordingObserver>();
  const Call call = channel.Start(StreamingRequest("/never"), observer);
  call.Wake();
  EXPECT_TRUE(observer->Await("wake"));
  call.SetAlarm(net::Now());
  EXPECT_TRUE(observer->Await("alarm"));
  EXPECT_THAT(call.Send(std::string(kSendHighWater + 1, 'x')), IsOk());
  const auto echo = std::make_shared<RecordingObserver>();
  EXPECT_THAT(channel.Start(StreamingRequest("/echo"), echo).Send("x"), IsOk());
  EXPECT_TRUE(echo->Await("message x"));
  EXPECT_TRUE(echo->Await("batch"));
  call.Cancel();
  EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kCancelled));
}

TEST(Interceptor, NullIsRefused) {
  EXPECT_THAT(Channel::Create("https://localhost", {.interceptors = {nullptr}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("interceptors")));
}

}  // namespace
}  // namespace cursorwire::connect
