#include "cursorwire/connect/call.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cursorwire/connect/channel.h"
#include "cursorwire/connect/connection.h"
#include "cursorwire/connect/error_info.h"
#include "net/poller.h"
#include "support/errors.h"
#include "support/recording_observer.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using test::Exchange;
using test::Gone;
using test::IsOk;
using test::Recorder;
using test::RecordingObserver;
using test::Requests;
using test::ServerStats;
using test::StatusIs;
using test::StreamingRequest;
using test::TestServer;

using Hooks = RecordingObserver::Hooks;

std::vector<std::string> WithoutBatches(std::vector<std::string> lines) {
  std::erase(lines, "batch");
  return lines;
}

TEST(Call, OneThreadServesAThousandAtOnce) {
  constexpr int kCalls = 1000;
  TestServer server;
  const Channel channel = server.Connect();
  std::vector<std::shared_ptr<RecordingObserver>> observers;
  std::vector<Call> calls;
  for (int i = 0; i < kCalls; ++i) {
    observers.push_back(Recorder());
    calls.push_back(channel.Start(StreamingRequest("/never"), observers.back()));
    ASSERT_THAT(calls.back().Send(absl::StrCat("call ", i)), IsOk());
    calls.back().CloseSend();
  }
  // All of them are open before the first is answered.
  ASSERT_TRUE(server.Await([](const ServerStats& stats) { return stats.complete == kCalls; }));
  EXPECT_EQ(server.stats().gone, 0);
  server.ForEachExchange([](Exchange& exchange) {
    for (const std::string& message : exchange.TakeMessages()) exchange.SendMessage(message);
    exchange.EndStream("{}");
  });
  for (int i = 0; i < kCalls; ++i) {
    SCOPED_TRACE(i);
    const RecordingObserver& observer = *observers[static_cast<size_t>(i)];
    EXPECT_THAT(observer.AwaitEnd(), IsOk());
    EXPECT_THAT(WithoutBatches(observer.lines().Get()),
                ElementsAre("start", "head 200", absl::StrCat("message call ", i), "end OK"));
  }
  EXPECT_EQ(server.stats().accepted, 1);
}

TEST(CallObserver, IsCalledInOrder) {
  TestServer server({.routes = {{"/two", {.on_headers = [](Exchange& exchange) {
                                   exchange.SendMessage("a");
                                   exchange.SendMessage("b");
                                 }}}}});
  const Channel channel = server.Connect();
  const auto observer = Recorder();
  const Call call = channel.Start(StreamingRequest("/two"), observer);
  ASSERT_TRUE(observer->Await("message b"));
  // It is told of the end of the batch without anything more from the server.
  EXPECT_TRUE(observer->lines().AwaitLast("batch"));
  server.ForEachExchange(
      [](Exchange& exchange) { exchange.EndStream(R"({"metadata":{"x-tail":["t"]}})"); });
  EXPECT_THAT(observer->AwaitEnd(), IsOk());
  EXPECT_THAT(WithoutBatches(observer->lines().Get()),
              ElementsAre("start", "head 200", "message a", "message b", "end OK"));
  EXPECT_EQ(observer->trailers().Get("x-tail"), "t");
}

TEST(CallObserver, SetsAlarms) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto observer = Recorder();
  const Call call = channel.Start(StreamingRequest("/never"), observer);
  call.SetAlarm(net::Now() + 1h);
  call.SetAlarm(net::Now() - 1h);  // in its place, and due
  ASSERT_TRUE(observer->Await("alarm"));
  call.SetAlarm(net::Now() + 2ms);
  ASSERT_TRUE(observer->Await("alarm", 2));
  // The one that is taken back would come before the other call's.
  call.SetAlarm(net::Now() + 5ms);
  call.SetAlarm(std::nullopt);
  const auto other = Recorder();
  const Call clock = channel.Start(StreamingRequest("/never"), other);
  clock.SetAlarm(net::Now() + 10ms);
  ASSERT_TRUE(other->Await("alarm"));
  call.Cancel();
  EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kCancelled));
  const std::vector<std::string> lines = observer->lines().Get();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "alarm"), 2);
}

TEST(CallObserver, AnAlarmMaySetTheNext) {
  const TestServer server;
  const Channel channel = server.Connect();
  std::vector<TimePoint> times;
  const auto observer = Recorder({.on_alarm = [&times](const Call& call) {
    times.push_back(net::Now());
    if (times.size() < 5) {
      call.SetAlarm(times.back() + 2ms);
    } else {
      call.Cancel();
    }
  }});
  const Call call = channel.Start(StreamingRequest("/never"), observer);
  call.SetAlarm(net::Now());
  EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kCancelled));
  ASSERT_EQ(times.size(), 5u);
  for (size_t i = 1; i < times.size(); ++i) EXPECT_GE(times[i] - times[i - 1], 2ms);
}

TEST(CallObserver, NoAlarmComesBehindTheEnd) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto observer = Recorder();
  const Call call = channel.Start(StreamingRequest("/echo"), observer);
  call.SetAlarm(net::Now() + 20ms);
  call.CloseSend();
  EXPECT_THAT(observer->AwaitEnd(), IsOk());
  call.SetAlarm(net::Now());
  call.Wake();
  const auto other = Recorder();
  const Call clock = channel.Start(StreamingRequest("/never"), other);
  clock.SetAlarm(net::Now() + 25ms);
  ASSERT_TRUE(other->Await("alarm"));
  EXPECT_TRUE(observer->lines().Get().back().starts_with("end"));
}

TEST(CallObserver, IsWokenFromAnyThread) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto observer = Recorder();
  const Call call = channel.Start(StreamingRequest("/never"), observer);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([call] {
      for (int j = 0; j < 100; ++j) call.Wake();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(observer->Await("wake", 400));
}

// A call that always has something to do leaves the others their share of the thread.
TEST(CallObserver, WakingItselfStopsNothingElse) {
  std::atomic<bool> done = false;  // outlives the channel, whose thread reads it to the end
  const TestServer server;
  const Channel channel = server.Connect();
  const auto restless = Recorder({.on_wake = [&done](const Call& call) {
    if (!done) call.Wake();
  }});
  const Call call = channel.Start(StreamingRequest("/never"), restless);
  call.Wake();
  ASSERT_TRUE(restless->Await("wake", 10));
  const auto observer = Recorder();
  channel.Start(StreamingRequest("/echo"), observer).CloseSend();
  EXPECT_TRUE(observer->lines().Await("end", 1, 3s)) << "the network waits forever";
  done = true;
  EXPECT_THAT(observer->AwaitEnd(), IsOk());
}

TEST(CallObserver, MaySendWithinItsCallbacks) {
  const TestServer server;
  const Channel channel = server.Connect();
  int rounds = 0;
  const auto observer = Recorder(
      {.on_start = [](const Call& call) { EXPECT_THAT(call.Send("x"), IsOk()); },
       .on_message =
           [&rounds](const Call& call, std::string_view message) {
             if (++rounds < 100) {
               EXPECT_THAT(call.Send(std::string(message)), IsOk());
             } else {
               call.CloseSend();
               EXPECT_THAT(call.Send("late"), StatusIs(absl::StatusCode::kFailedPrecondition));
             }
           }});
  channel.Start(StreamingRequest("/echo"), observer);
  EXPECT_THAT(observer->AwaitEnd(), IsOk());
  EXPECT_EQ(rounds, 100);
}

TEST(CallObserver, MayStartOtherCallsWithinItsCallbacks) {
  const TestServer server;
  const Channel channel = server.Connect();
  std::vector<std::shared_ptr<RecordingObserver>> observers;
  std::function<void(int)> start = [&](int depth) {
    observers.push_back(Recorder({.on_end = [&start, depth](const absl::Status&) {
      if (depth < 20) start(depth + 1);
    }}));
    channel.Start(StreamingRequest("/echo"), observers.back()).CloseSend();
  };
  observers.reserve(21);
  const auto first = Recorder({.on_end = [&start](const absl::Status&) { start(1); }});
  channel.Start(StreamingRequest("/echo"), first).CloseSend();
  ASSERT_TRUE(server.Await(Gone(21)));
  EXPECT_THAT(first->AwaitEnd(), IsOk());
  EXPECT_EQ(server.stats().accepted, 1);
}

TEST(CallObserver, MayCancelWithinItsCallbacks) {
  const TestServer server({.routes = {{"/many", test::SendMessages(100, 10)}}});
  const Channel channel = server.Connect();
  const auto cancel = [](const Call& call) { call.Cancel(); };
  const Hooks cases[] = {
      {.on_start = cancel},
      {.on_head = cancel},
      {.on_message = [](const Call& call, std::string_view) { call.Cancel(); }},
  };
  for (const Hooks& hooks : cases) {
    const auto observer = Recorder(hooks);
    const Call call = channel.Start(StreamingRequest("/many"), observer);
    // All of the answer may be there before the cancellation is looked at.
    const absl::Status status = observer->AwaitEnd();
    EXPECT_TRUE(status.ok() || status.code() == absl::StatusCode::kCancelled) << status;
    call.Cancel();
  }
}

TEST(CallObserver, MayDestroyTheChannelWithinItsCallbacks) {
  const TestServer server;
  std::optional<Channel> channel;
  const auto destroy = [&channel](const auto&...) { channel.reset(); };
  const Hooks cases[] = {
      {.on_start = destroy}, {.on_head = destroy}, {.on_message = destroy},
      {.on_wake = destroy},  {.on_end = destroy},
  };
  for (const Hooks& hooks : cases) {
    channel.emplace(server.Connect());
    const auto bystander = Recorder();
    const Call other = channel->Start(StreamingRequest("/never"), bystander);
    const auto observer = Recorder(hooks);
    const Call call = channel->Start(StreamingRequest("/echo"), observer);
    (void)call.Send("x");
    if (hooks.on_wake) call.Wake();
    if (hooks.on_end) call.Cancel();
    EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kCancelled));
    EXPECT_THAT(bystander->AwaitEnd(), StatusIs(absl::StatusCode::kCancelled));
    EXPECT_THAT(call.Send("late"), StatusIs(absl::StatusCode::kFailedPrecondition));
    EXPECT_FALSE(channel.has_value());
  }
}

TEST(CallObserver, IsDestroyedWhenTheCallHasEnded) {
  const TestServer server;
  const Channel channel = server.Connect();
  auto observer = Recorder();
  const std::weak_ptr<RecordingObserver> watched = observer;
  const Call call = channel.Start(StreamingRequest("/never"), observer);
  call.Cancel();
  EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kCancelled));
  // The channel's thread, which may be within OnEnd() still, goes round once.
  const auto other = Recorder();
  const Call barrier = channel.Start(StreamingRequest("/never"), other);
  ASSERT_TRUE(other->Await("start"));
  observer.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(CallObserver, IsToldWhenUnsentBytesHaveGone) {
  TestServer server({.paused = true});
  const Channel channel = server.Connect();
  const auto observer = Recorder({.on_writable = [](const Call& call) {
    EXPECT_LT(call.unsent_bytes(), kSendLowWater);
    call.CloseSend();
  }});
  const Call call = channel.Start(StreamingRequest("/echo"), observer);
  for (int i = 0; i < 8; ++i) {
    EXPECT_THAT(call.Send(std::string(kSendHighWater / 2, 'x')), IsOk());
  }
  EXPECT_GT(call.unsent_bytes(), kSendHighWater);
  server.ResumeReading();
  EXPECT_THAT(observer->AwaitEnd(), IsOk());
  EXPECT_EQ(observer->bytes().size(), 4 * kSendHighWater);
  EXPECT_EQ(call.unsent_bytes(), 0u);
}

TEST(Call, KeptCreditStopsTheServerUntilItIsReleased) {
  constexpr uint32_t kWindow = 100'000;
  TestServer server(
      {.routes = {{"/many", test::SendMessages(1000, 995)}, {"/unary", test::EchoUnary()}}});
  const Channel channel = server.Connect({.http2 = {.stream_window_bytes = kWindow}});
  const auto observer = Recorder({.keep_credit = true});
  const Call call = channel.Start(StreamingRequest("/many"), observer);
  ASSERT_TRUE(observer->Await("message", 50));
  for (int i = 0; i < 5; ++i) EXPECT_THAT(channel.Unary("/unary", ""), IsOk());
  const size_t held = observer->bytes().size();
  EXPECT_LE(held, 2u * kWindow);
  // More than was ever handed out does no harm, and nor does nothing.
  call.ReleaseCredit(0);
  call.ReleaseCredit(std::numeric_limits<size_t>::max());
  ASSERT_TRUE(observer->Await("message", static_cast<int>(held / 995) + 20));
  call.Cancel();
  EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kCancelled));
}

TEST(Call, NoCallHasNoEffect) {
  const Call call;
  EXPECT_THAT(call.Send("x"), StatusIs(absl::StatusCode::kFailedPrecondition));
  call.CloseSend();
  call.Cancel();
  call.ReleaseCredit(1);
  call.SetAlarm(net::Now());
  call.Wake();
  EXPECT_EQ(call.unsent_bytes(), 0u);
}

TEST(Call, SendRefusesAMessageOverTheLimit) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto observer = Recorder();
  const Call call = channel.Start(StreamingRequest("/echo", {.max_send_bytes = 3}), observer);
  EXPECT_THAT(call.Send("four"), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(call.Send("abc"), IsOk());
  call.CloseSend();
  EXPECT_THAT(observer->AwaitEnd(), IsOk());
  EXPECT_EQ(observer->bytes(), "abc");
}

TEST(Call, EndsWhenItsTimeoutHasPassed) {
  std::string announced = "not seen";
  const TestServer server(
      {.routes = {{"/never", {.on_headers = [&](Exchange& exchange) {
                     announced = exchange.headers().Get("connect-timeout-ms").value_or("none");
                   }}}}});
  const Channel channel = server.Connect();
  const TimePoint start = net::Now();
  const auto observer = Recorder();
  channel.Start(StreamingRequest("/never", {.timeout = 50ms}), observer);
  const absl::Status status = observer->AwaitEnd();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("50 ms")));
  EXPECT_THAT(status, test::HasOrigin(ErrorOrigin::kLocal));
  EXPECT_GE(net::Now() - start, 50ms);
  EXPECT_TRUE(server.Await(Gone(1)));  // it was reset
  EXPECT_EQ(announced, "50");
}

TEST(Call, TimeoutCountsFromItsStartOnAnIdleConnection) {
  const TestServer server;
  const Channel channel = server.Connect();
  ASSERT_THAT(channel.Unary("/unary", ""), IsOk());
  // Time passes in which nothing happens on the connection: another channel is the clock.
  const Channel clock = server.Connect();
  EXPECT_THAT(clock.Unary("/never", "", {.timeout = 120ms}),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_THAT(channel.Unary("/unary", "", {.timeout = 100ms}), IsOk());
}

TEST(Call, EndsWhenNothingIsReceivedForTooLong) {
  TestServer server;
  const Channel channel = server.Connect();
  const auto observer = Recorder();
  const Call call = channel.Start(StreamingRequest("/echo", {.idle_timeout = 50ms}), observer);
  EXPECT_THAT(call.Send("hello"), IsOk());
  const absl::Status status = observer->AwaitEnd();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("50 ms")));
  EXPECT_TRUE(server.Await(Gone(1)));
}

TEST(Call, IdleTimeoutWaitsWhileTheUserDoesNotRead) {
  constexpr uint32_t kWindow = 64 * 1024;
  const TestServer server({.routes = {{"/many",
                                       {.on_headers =
                                            [](Exchange& exchange) {
                                              for (int i = 0; i < 200; ++i) {
                                                exchange.SendMessage(std::string(1000, 'x'));
                                              }
                                            }}},
                                      {"/never", test::NeverAnswer()}}});
  const Channel channel = server.Connect({.http2 = {.stream_window_bytes = kWindow}});
  Stream stream = channel.OpenStream("/many", {.idle_timeout = 50ms});
  EXPECT_EQ(stream.WaitForHead().http_status, 200);
  // More than twice the timeout passes.
  const auto clock = Recorder();
  channel.Start(StreamingRequest("/never", {.timeout = 125ms}), clock);
  EXPECT_THAT(clock->AwaitEnd(), StatusIs(absl::StatusCode::kDeadlineExceeded));
  int messages = 0;
  absl::Status last;
  for (const auto& message : stream) {
    if (message.ok()) ++messages;
    last = message.status();
  }
  EXPECT_EQ(messages, 200);
  EXPECT_THAT(last, StatusIs(absl::StatusCode::kDeadlineExceeded));  // now nothing comes
}

TEST(Call, IdleTimeoutBeginsWhenTheUserHasRead) {
  constexpr uint32_t kWindow = 64 * 1024;
  const TestServer server({.routes = {{"/some",
                                       {.on_headers =
                                            [](Exchange& exchange) {
                                              for (int i = 0; i < 60; ++i) {
                                                exchange.SendMessage(std::string(1000, 'x'));
                                              }
                                            }}},
                                      {"/never", test::NeverAnswer()}}});
  const Channel channel = server.Connect({.http2 = {.stream_window_bytes = kWindow}});
  Stream stream = channel.OpenStream("/some", {.idle_timeout = 50ms});
  EXPECT_EQ(stream.WaitForHead().http_status, 200);
  const auto clock = Recorder();
  channel.Start(StreamingRequest("/never", {.timeout = 125ms}), clock);
  EXPECT_THAT(clock->AwaitEnd(), StatusIs(absl::StatusCode::kDeadlineExceeded));
  const TimePoint start = net::Now();
  for (int i = 0; i < 60; ++i) EXPECT_THAT(*stream.Next(), IsOk());
  EXPECT_THAT(*stream.Next(), StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_GE(net::Now() - start, 50ms);
}

TEST(Call, EndsWhenTheServerDoesNotSayHello) {
  const test::SilentListener listener;
  for (const char* scheme : {"http", "https"}) {
    SCOPED_TRACE(scheme);
    const auto channel =
        Channel::Create(listener.url(scheme), {.http2 = {.connect_timeout = 50ms}});
    ASSERT_THAT(channel, IsOk());
    const auto observer = Recorder();
    channel->Start(StreamingRequest("/x"), observer);
    const absl::Status status = observer->AwaitEnd();
    EXPECT_THAT(status, StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("connecting")));
    // Without TLS the request has gone out ahead of the server's word.
    EXPECT_EQ(GetErrorInfo(status)->replay_safe, scheme == std::string_view("https"));
  }
}

TEST(Call, ItsTimeoutCountsWhileItWaitsForAConnection) {
  const test::SilentListener listener;
  const auto channel = Channel::Create(listener.url("https"), {.http2 = {.connect_timeout = 0ms}});
  ASSERT_THAT(channel, IsOk());
  const auto observer = Recorder();
  channel->Start(StreamingRequest("/x", {.timeout = 50ms}), observer);
  EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST(Call, OutlivesItsChannel) {
  const TestServer server;
  std::optional<Channel> channel = server.Connect();
  const auto observer = Recorder();
  const Call call = channel->Start(StreamingRequest("/never"), observer);
  ASSERT_TRUE(server.Await(Requests(1)));
  channel.reset();
  const Call copy = call;
  EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(copy.Send("x"), StatusIs(absl::StatusCode::kFailedPrecondition));
  copy.CloseSend();
  copy.Cancel();
  copy.ReleaseCredit(1);
  copy.SetAlarm(net::Now());
  copy.Wake();
  EXPECT_EQ(copy.unsent_bytes(), 0u);
  EXPECT_TRUE(observer->lines().Get().back().starts_with("end"));
}

TEST(Call, HasNoUnsentBytesAfterItsEnd) {
  TestServer server({.paused = true});
  std::optional<Channel> channel = server.Connect();
  const auto observer = Recorder();
  const Call call = channel->Start(StreamingRequest("/never"), observer);
  EXPECT_THAT(call.Send(std::string(kSendHighWater, 'x')), IsOk());
  // The channel has seen the message before it is closed.
  call.Wake();
  ASSERT_TRUE(observer->Await("wake"));
  call.Wake();
  ASSERT_TRUE(observer->Await("wake", 2));
  channel.reset();
  EXPECT_EQ(call.unsent_bytes(), 0u);
}

}  // namespace
}  // namespace cursorwire::connect
