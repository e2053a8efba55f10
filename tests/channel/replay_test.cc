// Calls that a server refuses before it acts on them are sent once more: see Channel.
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/strings.h"
#include "channel/loop/replay_log.h"
#include "cursorwire/connect/channel.h"
#include "cursorwire/connect/error_info.h"
#include "support/errors.h"
#include "support/recording_observer.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using test::Behaviour;
using test::EchoStream;
using test::EchoUnary;
using test::Exchange;
using test::IsOk;
using test::Recorder;
using test::RecordingObserver;
using test::Requests;
using test::ServerStats;
using test::StatusIs;
using test::StreamingRequest;
using test::TestServer;

constexpr uint32_t kRefusedStream = 0x7;  // RFC 9113, section 7

void Refuse(Exchange& exchange) { exchange.Reset(kRefusedStream); }
// For the first stream of a connection.
void SayGoAway(Exchange& exchange) { exchange.SendGoAway(0, 0); }

// The first `count` requests are refused as soon as their headers are there, and get no answer.
Behaviour RefuseFirst(int count, const std::function<void(Exchange&)>& refuse,
                      const Behaviour& then) {
  const auto left = std::make_shared<int>(count);
  const auto refused = std::make_shared<std::set<const Exchange*>>();
  const auto unless_refused = [refused](const std::function<void(Exchange&)>& action) {
    return [refused, action](Exchange& exchange) {
      if (action && !refused->contains(&exchange)) action(exchange);
    };
  };
  return {.on_headers =
              [left, refused, refuse, then](Exchange& exchange) {
                refused->erase(&exchange);  // of a former one in the same place
                if (*left > 0) {
                  --*left;
                  refused->insert(&exchange);
                  refuse(exchange);
                } else if (then.on_headers) {
                  then.on_headers(exchange);
                }
              },
          .on_body = unless_refused(then.on_body),
          .on_end = unless_refused(then.on_end)};
}

TEST(Replay, ARefusedCallIsSentAgainAndItsUserDoesNotNotice) {
  struct Case {
    const char* name;
    std::function<void(Exchange&)> refuse;
    int connections;
  };
  const Case cases[] = {{"REFUSED_STREAM", Refuse, 1}, {"GOAWAY", SayGoAway, 2}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const TestServer server({.routes = {{"/echo", RefuseFirst(1, c.refuse, EchoStream())}}});
    const Channel channel = server.Connect();
    const auto observer = Recorder();
    const Call call = channel.Start(StreamingRequest("/echo"), observer);
    EXPECT_THAT(call.Send("a"), IsOk());
    EXPECT_THAT(call.Send("b"), IsOk());
    call.CloseSend();
    EXPECT_THAT(observer->AwaitEnd(), IsOk());
    EXPECT_EQ(observer->bytes(), "ab");
    EXPECT_EQ(observer->lines().Get().front(), "start");
    EXPECT_EQ(server.stats().requests, 2);
    EXPECT_EQ(server.stats().accepted, c.connections);
  }
}

TEST(Replay, AUnaryCallIsSentAgain) {
  for (const auto& refuse : {Refuse, SayGoAway}) {
    const TestServer server({.routes = {{"/unary", RefuseFirst(1, refuse, EchoUnary())}}});
    const Channel channel = server.Connect();
    const auto response = channel.Unary("/unary", "ask");
    ASSERT_THAT(response, IsOk());
    EXPECT_EQ(response->message, "ask");
    EXPECT_EQ(server.stats().requests, 2);
  }
}

TEST(Replay, ItIsDoneOnce) {
  for (const auto& refuse : {Refuse, SayGoAway}) {
    const TestServer server({.routes = {{"/unary", RefuseFirst(5, refuse, EchoUnary())}}});
    const Channel channel = server.Connect();
    const auto response = channel.Unary("/unary", "ask");
    EXPECT_THAT(response, StatusIs(absl::StatusCode::kUnavailable));
    EXPECT_TRUE(GetErrorInfo(response.status())->replay_safe);
    EXPECT_EQ(server.stats().requests, 2);
  }
}

TEST(Replay, IsNotDoneWhereTheUserOrTheCaseForbidsIt) {
  struct Case {
    const char* name;
    std::function<void(Exchange&)> refuse;
    CallOptions options;
    bool replay_safe;
  };
  const Case cases[] = {
      {"switched off", Refuse, {.auto_replay = AutoReplay::kNo}, true},
      {"switched off, GOAWAY", SayGoAway, {.auto_replay = AutoReplay::kNo}, true},
      {"another code", [](Exchange& exchange) { exchange.Reset(0x2); }, {}, false},
      {"lost connection", [](Exchange& exchange) { exchange.CloseConnection(); }, {}, false},
      {"GOAWAY that names it",
       [](Exchange& exchange) {
         exchange.SendGoAway(1, 0);
         exchange.CloseConnection();
       },
       {},
       false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const TestServer server({.routes = {{"/echo", RefuseFirst(1, c.refuse, EchoStream())}}});
    const Channel channel = server.Connect();
    const auto observer = Recorder();
    channel.Start(StreamingRequest("/echo", c.options), observer);
    const absl::Status status = observer->AwaitEnd();
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(GetErrorInfo(status)->replay_safe, c.replay_safe) << status;
    EXPECT_EQ(server.stats().requests, 1);
  }
}

TEST(Replay, IsNotDoneWhenTheServerHasBegunToAnswer) {
  const TestServer server(
      {.routes = {{"/half",
                   {.on_headers =
                        [](Exchange& exchange) {
                          exchange.SendHeaders(
                              {{":status", "200"}, {"content-type", "application/connect+proto"}});
                        },
                    .on_end = Refuse}}}});
  const Channel channel = server.Connect();
  const auto observer = Recorder({.on_head = [](const Call& call) { call.CloseSend(); }});
  channel.Start(StreamingRequest("/half"), observer);
  const absl::Status status = observer->AwaitEnd();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_FALSE(GetErrorInfo(status)->replay_safe);
  EXPECT_EQ(server.stats().requests, 1);
}

TEST(Replay, CallsOfAPinAreLeftAlone) {
  const TestServer server({.routes = {{"/echo", RefuseFirst(1, Refuse, EchoStream())}}});
  const Channel channel = server.Connect();
  const ConnectionPin pin = channel.Pin(std::make_shared<test::RecordingConnectionObserver>());
  const auto observer = Recorder();
  pin.Start(StreamingRequest("/echo"), observer);
  EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(server.stats().requests, 1);
}

TEST(Replay, IsNotDoneWhenMoreWasSentThanIsKept) {
  constexpr size_t kSize = internal::ReplayLog::kMaxBytes;
  const auto refuse_when_all_is_there = [](size_t bytes) {
    const auto seen = std::make_shared<size_t>(0);
    return Behaviour{.on_body = [bytes, seen](Exchange& exchange) {
      if ((*seen += exchange.TakeBody().size()) == bytes) exchange.Reset(kRefusedStream);
    }};
  };
  const TestServer server({.routes = {{"/large", refuse_when_all_is_there(kSize + 5)}}});
  const Channel channel = server.Connect();
  const auto observer = Recorder();
  EXPECT_THAT(channel.Start(StreamingRequest("/large"), observer).Send(std::string(kSize, 'x')),
              IsOk());
  EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(server.stats().requests, 1);
}

// The first attempt is refused when some of the messages are on their way, and others are not.
TEST(Replay, MessagesThatAreSentLaterFollowInOrder) {
  constexpr int kMessages = 300;
  for (const int refused_at : {1, 50, 200}) {
    SCOPED_TRACE(refused_at);
    const auto first = std::make_shared<bool>(true);
    const auto count = std::make_shared<int>(0);
    Behaviour echo = EchoStream();
    echo.on_body = [first, count, refused_at, old = echo.on_body](Exchange& exchange) {
      if (!*first) return old(exchange);
      *count += static_cast<int>(exchange.TakeMessages().size());
      if (*count < refused_at) return;
      *first = false;
      exchange.Reset(kRefusedStream);
    };
    const TestServer server({.routes = {{"/echo", echo}}});
    const Channel channel = server.Connect();
    const auto observer = Recorder();
    const Call call = channel.Start(StreamingRequest("/echo"), observer);
    std::string all;
    for (int i = 0; i < kMessages; ++i) {
      const std::string message = absl::StrCat(i, ",");
      all += message;
      EXPECT_THAT(call.Send(message), IsOk());
    }
    // What comes after the replay for certain.
    ASSERT_TRUE(server.Await(Requests(2)));
    EXPECT_THAT(call.Send("last"), IsOk());
    call.CloseSend();
    EXPECT_THAT(observer->AwaitEnd(), IsOk());
    EXPECT_EQ(observer->bytes(), all + "last");
    EXPECT_EQ(call.unsent_bytes(), 0u);
  }
}

// The cancellation is asked for in the turn in which the refusal is read.
TEST(Replay, ACancelledCallIsNotSentAgain) {
  std::atomic<int> sent = 0;
  TestServer server({.routes = {{"/other", {}},
                                {"/refused", {.on_headers = [&sent](Exchange&) { ++sent; }}},
                                {"/echo", EchoStream()}}});
  const Channel channel = server.Connect();
  const auto refused = Recorder();
  std::optional<Call> victim;
  const auto other =
      Recorder({.on_message = [&victim](const Call&, std::string_view) { victim->Cancel(); }});
  channel.Start(StreamingRequest("/other"), other);
  ASSERT_TRUE(server.Await(Requests(1)));
  victim = channel.Start(StreamingRequest("/refused"), refused);
  ASSERT_TRUE(server.Await(Requests(2)));
  // Both go out with one write.
  server.ForEachExchange([](Exchange& exchange) {
    if (exchange.headers().Get(":path") == "/other") {
      exchange.SendMessage("now");
    } else {
      exchange.Reset(kRefusedStream);
    }
  });
  EXPECT_FALSE(refused->AwaitEnd().ok());
  ASSERT_TRUE(other->Await("message now"));
  // A replay would be there before this one.
  const auto barrier = Recorder();
  channel.Start(StreamingRequest("/echo"), barrier).CloseSend();
  EXPECT_THAT(barrier->AwaitEnd(), IsOk());
  EXPECT_EQ(sent, 1);
}

TEST(Replay, TheTimeoutRunsOnFromTheFirstStart) {
  std::vector<int> announced;
  Behaviour never;
  never.on_headers = [&announced](Exchange& exchange) {
    int timeout = 0;
    EXPECT_TRUE(absl::SimpleAtoi(ToAbsl(exchange.headers().Get("connect-timeout-ms").value_or("")),
                                 &timeout));
    announced.push_back(timeout);
    if (announced.size() == 1) exchange.Reset(kRefusedStream);
  };
  const TestServer server({.routes = {{"/never", never}}});
  const Channel channel = server.Connect();
  const auto response = channel.Unary("/never", "ask", {.timeout = 100ms});
  EXPECT_THAT(response,
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("longer than 100 ms")));
  ASSERT_EQ(server.stats().requests, 2);
  EXPECT_EQ(announced[0], 100);
  EXPECT_LE(announced[1], 100);
}

TEST(Replay, AlarmsStayAsTheyWereSet) {
  const TestServer server({.routes = {{"/never", RefuseFirst(1, Refuse, test::NeverAnswer())}}});
  const Channel channel = server.Connect();
  const auto observer = Recorder({.on_alarm = [](const Call& call) { call.Cancel(); }});
  const Call call = channel.Start(StreamingRequest("/never"), observer);
  ASSERT_TRUE(server.Await(Requests(2)));
  call.SetAlarm(TimePoint());
  EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(observer->lines().Get(), ElementsAre("start", "alarm", "end CANCELLED"));
}

TEST(Replay, AllThatOneGoAwayRefusedShareTheNextConnection) {
  constexpr int kCalls = 20;
  const auto wait = [](Exchange&) {};
  TestServer server({.routes = {{"/echo", RefuseFirst(kCalls, wait, EchoStream())}}});
  const Channel channel = server.Connect();
  std::vector<std::shared_ptr<RecordingObserver>> observers;
  std::vector<Call> calls;
  for (int i = 0; i < kCalls; ++i) {
    observers.push_back(Recorder());
    calls.push_back(channel.Start(StreamingRequest("/echo"), observers.back()));
    EXPECT_THAT(calls.back().Send(absl::StrCat("message ", i)), IsOk());
  }
  ASSERT_TRUE(server.Await(Requests(kCalls)));
  server.SendGoAway(0, 0);
  for (const Call& call : calls) call.CloseSend();
  for (int i = 0; i < kCalls; ++i) {
    SCOPED_TRACE(i);
    EXPECT_THAT(observers[static_cast<size_t>(i)]->AwaitEnd(), IsOk());
    EXPECT_EQ(observers[static_cast<size_t>(i)]->bytes(), absl::StrCat("message ", i));
  }
  EXPECT_EQ(server.stats().requests, 2 * kCalls);
  EXPECT_EQ(server.stats().accepted, 2);
}

// As a proxy does that is about to stop: the calls were not sent, since TLS was not set up.
TEST(Replay, ACallWhoseConnectionWasLostBeforeItWasSentIsSentOnANewOne) {
  const TestServer server({.security = Security::kTls, .connections_closed_at_once = 1});
  const Channel channel = server.Connect();
  EXPECT_THAT(channel.Unary("/unary", "ask"), IsOk());
  EXPECT_EQ(server.stats().accepted, 1);

  const TestServer bad({.security = Security::kTls, .connections_closed_at_once = 2});
  const Channel to_bad = bad.Connect();
  const auto response = to_bad.Unary("/unary", "ask");
  EXPECT_THAT(response, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_TRUE(GetErrorInfo(response.status())->replay_safe);
  EXPECT_EQ(bad.stats().accepted, 0);
}

TEST(Replay, IsNotDoneWhenTheChannelIsClosed) {
  for (int i = 0; i < 20; ++i) {
    TestServer server({.routes = {{"/never", test::NeverAnswer()}}});
    std::optional<Channel> channel = server.Connect();
    std::vector<std::shared_ptr<RecordingObserver>> observers;
    for (int j = 0; j < 5; ++j) {
      observers.push_back(Recorder());
      channel->Start(StreamingRequest("/never"), observers.back());
    }
    ASSERT_TRUE(server.Await(Requests(5)));
    std::thread refuse([&server] { server.SendGoAway(0, 0); });
    channel.reset();
    // The destructor has returned: they have ended.
    for (const auto& observer : observers) {
      EXPECT_TRUE(observer->lines().Get().back().starts_with("end "));
    }
    refuse.join();
  }
}

}  // namespace
}  // namespace cursorwire::connect
