#include "cursorwire/connect/coroutine.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cursorwire/connect/channel.h"
#include "cursorwire/connect/error_info.h"
#include "support/errors.h"
#include "support/recording_observer.h"
#include "support/sizes.h"
#include "support/task.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using test::Exchange;
using test::Gone;
using test::IsOk;
using test::kKiB;
using test::RecordingObserver;
using test::Requests;
using test::RunByHand;
using test::ServerStats;
using test::StatusIs;
using test::StreamingRequest;
using test::Task;
using test::TestServer;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The elements of a stream as text, up to and with nullopt.
Task<std::vector<std::string>> Collect(AsyncStream& stream) {
  std::vector<std::string> elements;
  while (auto next = co_await stream.Next()) {
    elements.push_back(next->ok() ? **next : absl::StatusCodeToString(next->status().code()));
  }
  elements.push_back("end");
  co_return elements;
}

Task<absl::StatusOr<std::string>> Ask(const Channel& channel, std::string path, std::string message,
                                      CallOptions options = {}, Executor executor = {}) {
  absl::StatusOr<UnaryResponse> response =
      co_await AsyncUnary(channel, path, std::move(message), options, std::move(executor));
  if (!response.ok()) co_return response.status();
  co_return absl::StrCat(response->message, " ", std::string(*response->headers.Get("x-head")), " ",
                         std::string(*response->trailers.Get("x-tail")));
}

TEST(AsyncUnary, GivesMessageHeadersAndTrailers) {
  for (const Security security : {Security::kPlaintext, Security::kTls}) {
    const TestServer server({.security = security});
    const Channel channel = server.Connect();
    EXPECT_EQ(*Ask(channel, "/unary", "hello").Get(), "hello 1 2");
  }
}

TEST(AsyncUnary, GivesTheErrorsOfUnary) {
  const TestServer server(
      {.routes = {{"/unary", test::EchoUnary()},
                  {"/fails", test::AnswerHttp(404, "application/json",
                                              R"({"code":"not_found","message":"nothing"})")},
                  {"/close", test::CloseTheConnection()}}});
  const Channel channel = server.Connect();
  EXPECT_THAT(Ask(channel, "/fails", "x").Get(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("nothing")));
  EXPECT_THAT(Ask(channel, "/close", "x").Get(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(Ask(channel, "/unary", "four", {.max_send_bytes = 3}).Get(),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("send limit")));
}

TEST(AsyncUnary, ManyAreOnTheirWayAtOnce) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto talk = [](const Channel& target) -> Task<std::vector<std::string>> {
    std::vector<AsyncUnaryCall> calls;
    for (int i = 0; i < 50; ++i) calls.push_back(AsyncUnary(target, "/unary", absl::StrCat(i)));
    std::vector<std::string> answers;
    for (AsyncUnaryCall& call : calls) {
      const auto response = co_await call;
      answers.push_back(response.ok() ? response->message : response.status().ToString());
    }
    co_return answers;
  };
  const std::vector<std::string> answers = talk(channel).Get();
  ASSERT_EQ(answers.size(), 50u);
  for (size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i], absl::StrCat(i));
}

TEST(AsyncUnary, CancelEndsIt) {
  const TestServer server;
  const Channel channel = server.Connect();
  AsyncUnaryCall call = AsyncUnary(channel, "/never", "x");
  const auto wait = [](AsyncUnaryCall& target) -> Task<absl::Status> {
    co_return (co_await target).status();
  };
  Task<absl::Status> waiting = wait(call);
  ASSERT_TRUE(server.Await(Requests(1)));
  call.Cancel();
  EXPECT_THAT(waiting.Get(), StatusIs(absl::StatusCode::kCancelled));
}

TEST(AsyncUnary, DestroyingItUnawaitedCancelsTheCall) {
  const TestServer server;
  const Channel channel = server.Connect();
  {
    AsyncUnaryCall call = AsyncUnary(channel, "/never", "x");
    const AsyncUnaryCall moved = std::move(call);
    ASSERT_TRUE(server.Await(Requests(1)));
    EXPECT_EQ(server.stats().gone, 0);
  }
  EXPECT_TRUE(server.Await(Gone(1)));
}

TEST(AsyncUnary, EndsWithItsChannel) {
  const TestServer server;
  std::optional<Channel> channel = server.Connect();
  Task<absl::StatusOr<std::string>> asking = Ask(*channel, "/never", "x");
  channel.reset();
  EXPECT_THAT(asking.Get(), StatusIs(absl::StatusCode::kCancelled));
}

TEST(AsyncStream, EchoesManyMessagesInOrder) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto talk = [](const Channel& target) -> Task<int> {
    AsyncStream stream = OpenAsyncStream(target, "/echo");
    constexpr int kMessages = 2000;
    for (int i = 0; i < kMessages; ++i) {
      EXPECT_THAT(co_await stream.Send(absl::StrCat(i)), IsOk());
    }
    stream.CloseSend();
    int right = 0;
    while (const auto next = co_await stream.Next()) {
      if (next->ok() && **next == absl::StrCat(right)) ++right;
    }
    co_return right;
  };
  EXPECT_EQ(talk(channel).Get(), 2000);
}

TEST(AsyncStream, GivesTheErrorLastThenNothing) {
  const TestServer server({.routes = {{"/fails", {.on_headers = [](Exchange& exchange) {
                                         exchange.SendMessage("a");
                                         exchange.EndStream(
                                             R"({"error":{"code":"not_found","message":"no more"},
                                            "metadata":{"x-tail":["t"]}})");
                                       }}}}});
  const Channel channel = server.Connect();
  AsyncStream stream = OpenAsyncStream(channel, "/fails");
  EXPECT_THAT(Collect(stream).Get(), ElementsAre("a", "NOT_FOUND", "end"));
  EXPECT_THAT(Collect(stream).Get(), ElementsAre("end")) << "forever";
  EXPECT_EQ(stream.trailers().Get("x-tail"), "t");
  const auto send = [](AsyncStream& target) -> Task<absl::Status> {
    co_return co_await target.Send("late");
  };
  EXPECT_THAT(send(stream).Get(), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(AsyncStream, CancelDropsTheMessagesThatWait) {
  // The first call goes on; the second has ended well.
  for (const size_t messages : {size_t{1000}, size_t{3}}) {
    SCOPED_TRACE(messages);
    const TestServer server({.routes = {{"/many", test::SendMessages(messages, 10 * kKiB)}}});
    const Channel channel = server.Connect();
    AsyncStream stream = OpenAsyncStream(channel, "/many");
    stream.CloseSend();
    const auto take = [](AsyncStream& target) -> Task<size_t> {
      const auto first = co_await target.Next();
      co_return first->ok() ? (*first)->size() : 0;
    };
    EXPECT_EQ(take(stream).Get(), 10 * kKiB);
    stream.Cancel();
    EXPECT_THAT(Collect(stream).Get(), ElementsAre("CANCELLED", "end"));
  }
}

TEST(AsyncStream, CancelAfterTheEndChangesNothing) {
  const TestServer server({.routes = {{"/many", test::SendMessages(1, 1)}}});
  const Channel channel = server.Connect();
  AsyncStream stream = OpenAsyncStream(channel, "/many");
  stream.CloseSend();
  EXPECT_THAT(Collect(stream).Get(), ElementsAre(_, "end"));
  stream.Cancel();
  EXPECT_THAT(Collect(stream).Get(), ElementsAre("end"));
}

TEST(AsyncStream, HeadComesBeforeAnyMessage) {
  const TestServer server({.routes = {{"/head",
                                       {.on_headers =
                                            [](Exchange& exchange) {
                                              exchange.SendHeaders(
                                                  {{":status", "200"},
                                                   {"content-type", "application/connect+proto"},
                                                   {"x-mine", "7"}});
                                            }}},
                                      {"/close", test::CloseTheConnection()}}});
  const Channel channel = server.Connect();
  const auto head_of = [](AsyncStream& stream) -> Task<absl::StatusOr<ResponseHead>> {
    co_return co_await stream.WaitForHead();
  };
  AsyncStream stream = OpenAsyncStream(channel, "/head");
  EXPECT_EQ(head_of(stream).Get()->headers.Get("x-mine"), "7");
  EXPECT_EQ(head_of(stream).Get()->http_status, 200) << "once more";
  AsyncStream lost = OpenAsyncStream(channel, "/close");
  EXPECT_EQ(head_of(lost).Get()->http_status, 0);
}

// More than the windows of both sides: Send() must suspend, and be resumed.
TEST(AsyncStream, OneCoroutineSendsWhileAnotherReceives) {
  constexpr size_t kMessage = 256 * kKiB;
  constexpr size_t kMessages = 64;
  TestServer server({.paused = true});
  const Channel channel = server.Connect();
  AsyncStream stream = OpenAsyncStream(channel, "/echo");
  const auto send = [](AsyncStream& target) -> Task<absl::Status> {
    for (size_t i = 0; i < kMessages; ++i) {
      absl::Status status = co_await target.Send(std::string(kMessage, 's'));
      if (!status.ok()) co_return status;
    }
    target.CloseSend();
    co_return absl::OkStatus();
  };
  Task<absl::Status> sending = send(stream);
  server.ResumeReading();
  const std::vector<std::string> elements = Collect(stream).Get();
  EXPECT_EQ(elements.size(), kMessages + 1);
  EXPECT_EQ(elements.front().size(), kMessage);
  EXPECT_THAT(sending.Get(), IsOk());
}

TEST(AsyncStream, AServerWhoseMessagesAreNotTakenStops) {
  constexpr size_t kMessage = 8 * kKiB;
  constexpr size_t kMessages = 1000;
  const TestServer server({.routes = {{"/many", test::SendMessages(kMessages, kMessage)},
                                      {"/unary", test::EchoUnary()}}});
  const Channel channel = server.Connect({.http2 = {.stream_window_bytes = 64 * kKiB}});
  AsyncStream stream = OpenAsyncStream(channel, "/many");
  stream.CloseSend();
  // Calls that go round on the same connection give the server its chance to send more.
  for (int i = 0; i < 20; ++i) EXPECT_THAT(channel.Unary("/unary", ""), IsOk());
  EXPECT_LT(server.stats().sent_bytes, 64 * kKiB + 2 * kMessage);
  EXPECT_EQ(Collect(stream).Get().size(), kMessages + 1);
}

TEST(AsyncStream, TwoThatWaitForTheSameAreAnErrorOfTheSecond) {
  const TestServer server;
  const Channel channel = server.Connect();
  AsyncStream stream = OpenAsyncStream(channel, "/never");
  Task<std::vector<std::string>> first = Collect(stream);
  const auto next = [](AsyncStream& target) -> Task<absl::Status> {
    const auto element = co_await target.Next();
    co_return element ? element->status() : absl::OkStatus();
  };
  EXPECT_THAT(next(stream).Get(), StatusIs(absl::StatusCode::kFailedPrecondition));
  stream.Cancel();
  EXPECT_THAT(first.Get(), ElementsAre("CANCELLED", "end"));
}

TEST(AsyncStream, DestroyingItResumesThoseThatWaitAtIt) {
  const TestServer server;
  const Channel channel = server.Connect();
  std::optional<AsyncStream> stream = OpenAsyncStream(channel, "/never");
  const auto next = [](AsyncStream& target) -> Task<absl::Status> {
    const auto element = co_await target.Next();
    co_return element ? element->status() : absl::OkStatus();
  };
  Task<absl::Status> waiting = next(*stream);
  ASSERT_TRUE(server.Await(Requests(1)));
  AsyncStream moved = *std::move(stream);
  stream.reset();
  EXPECT_EQ(server.stats().gone, 0);
  moved = OpenAsyncStream(channel, "/never");
  EXPECT_THAT(waiting.Get(), StatusIs(absl::StatusCode::kCancelled));
}

TEST(AsyncStream, WorksOnAPinAndOnAClosedChannel) {
  const TestServer server;
  std::optional<Channel> channel = server.Connect();
  const ConnectionPin pin = channel->Pin(std::make_shared<test::RecordingConnectionObserver>());
  AsyncStream stream = OpenAsyncStream(pin, StreamingRequest("/echo"));
  stream.CloseSend();
  EXPECT_THAT(Collect(stream).Get(), ElementsAre("end"));
  channel.reset();
  AsyncStream late = OpenAsyncStream(pin, StreamingRequest("/echo"));
  EXPECT_THAT(Collect(late).Get(), ElementsAre("CANCELLED", "end"));
}

TEST(Coroutine, GoesOnOnTheChannelsThread) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto observer = std::make_shared<RecordingObserver>();
  std::thread::id channel_thread;
  const auto probe = std::make_shared<RecordingObserver>(RecordingObserver::Hooks{
      .on_start = [&](const Call&) { channel_thread = std::this_thread::get_id(); }});
  channel.Start(StreamingRequest("/never"), probe);
  ASSERT_TRUE(probe->Await("start"));
  AsyncStream stream = OpenAsyncStream(channel, "/never");
  const auto wait = [](AsyncStream& target) -> Task<std::thread::id> {
    co_await target.Next();
    co_return std::this_thread::get_id();
  };
  Task<std::thread::id> waiting = wait(stream);
  stream.Cancel();
  EXPECT_EQ(waiting.Get(), channel_thread);
}

TEST(Coroutine, GoesOnWhereTheExecutorRunsIt) {
  TestServer server;
  const Channel channel = server.Connect();
  RunByHand hand;
  AsyncStream stream = OpenAsyncStream(channel, "/never", {}, hand.executor());
  const auto wait = [](AsyncStream& target) -> Task<std::thread::id> {
    EXPECT_THAT(**co_await target.Next(), "x");
    co_return std::this_thread::get_id();
  };
  Task<std::thread::id> waiting = wait(stream);
  ASSERT_TRUE(server.Await(Requests(1)));
  server.ForEachExchange([](Exchange& exchange) { exchange.SendMessage("x"); });
  ASSERT_TRUE(hand.RunOne());
  EXPECT_EQ(waiting.Get(), std::this_thread::get_id());
  EXPECT_TRUE(hand.empty());
}

TEST(Coroutine, DestroyedWhileSuspendedItCancelsTheCall) {
  const TestServer server;
  const Channel channel = server.Connect();
  { const Task<absl::StatusOr<std::string>> asking = Ask(channel, "/never", "x"); }
  const auto talk = [](const Channel& target) -> Task<int> {
    AsyncStream stream = OpenAsyncStream(target, "/never");
    co_await stream.Next();
    ADD_FAILURE() << "went on";
    co_return 0;
  };
  {
    const Task<int> talking = talk(channel);
    ASSERT_TRUE(server.Await([](const ServerStats& stats) { return stats.requests >= 1; }));
  }
  EXPECT_THAT(channel.Unary("/unary", "x"), IsOk());
  EXPECT_TRUE(server.Await(
      [](const ServerStats& stats) { return stats.gone == stats.requests && stats.requests > 1; }));
}

TEST(Coroutine, DestroyedAfterTheExecutorWasAskedItDoesNotGoOn) {
  TestServer server;
  const Channel channel = server.Connect();
  RunByHand hand;
  bool went_on = false;
  const auto talk = [](const Channel& target, Executor executor, bool& after) -> Task<int> {
    AsyncStream stream = OpenAsyncStream(target, "/never", {}, std::move(executor));
    co_await stream.Next();
    after = true;
    co_return 0;
  };
  {
    const Task<int> talking = talk(channel, hand.executor(), went_on);
    ASSERT_TRUE(server.Await(Requests(1)));
    server.ForEachExchange([](Exchange& exchange) { exchange.SendMessage("x"); });
    ASSERT_TRUE(hand.Await());
  }
  while (!hand.empty()) hand.RunOne();
  EXPECT_FALSE(went_on);
  EXPECT_TRUE(server.Await(Gone(1)));
}

// In each state between its start and its end. What is there in time takes no step.
TEST(Coroutine, MayBeDestroyedBehindAnyNumberOfSteps) {
  const TestServer server;
  const Channel channel = server.Connect();
  const auto talk = [](const Channel& target, Executor executor) -> Task<int> {
    AsyncStream stream = OpenAsyncStream(target, "/echo", {}, executor);
    int steps = 0;
    for (int i = 0; i < 5; ++i) {
      EXPECT_THAT(co_await stream.Send("x"), IsOk());
      const auto next = co_await stream.Next();
      EXPECT_TRUE(next && next->ok());
      const auto unary = co_await AsyncUnary(target, "/unary", "y",
                                             {.timeout = std::chrono::minutes(1)}, executor);
      EXPECT_THAT(unary, IsOk());
      ++steps;
    }
    co_return steps;
  };
  for (int steps = 0; steps <= 10; ++steps) {
    for (const bool asked : {false, true}) {
      RunByHand hand;
      {
        Task<int> talking = talk(channel, hand.executor());
        for (int i = 0; i < steps && !talking.is_done(); ++i) ASSERT_TRUE(hand.RunOne());
        EXPECT_TRUE(steps < 10 || talking.is_done());
        if (talking.is_done()) {
          EXPECT_EQ(talking.Get(), 5);
        } else if (asked) {
          EXPECT_TRUE(hand.Await());
        }
      }
      // The executor must outlive the calls: after them on the same connection comes an answer.
      ASSERT_THAT(channel.Unary("/unary", "x"), IsOk());
      while (!hand.empty()) hand.RunOne();
    }
  }
}

// Where it would go on itself, while messages come.
TEST(Coroutine, MayBeDestroyedOnTheChannelsThread) {
  const TestServer server(
      {.routes = {{"/many", test::SendMessages(1000, 100)}, {"/never", test::NeverAnswer()}}});
  const Channel channel = server.Connect();
  std::optional<Task<std::vector<std::string>>> task;
  std::optional<AsyncStream> stream;
  const auto observer =
      std::make_shared<RecordingObserver>(RecordingObserver::Hooks{.on_wake = [&](const Call&) {
        if (task) {
          task.reset();
          stream.reset();
        } else {
          stream = OpenAsyncStream(channel, "/many");
          stream->CloseSend();
          task.emplace(Collect(*stream));
        }
      }});
  const Call call = channel.Start(StreamingRequest("/never"), observer);
  for (int i = 1; i <= 10; ++i) {
    call.Wake();
    ASSERT_TRUE(server.Await([&](const ServerStats& stats) { return stats.requests == 1 + i; }));
    call.Wake();
    ASSERT_TRUE(observer->Await("wake", 2 * i));
  }
  call.Cancel();
  EXPECT_THAT(observer->AwaitEnd(), StatusIs(absl::StatusCode::kCancelled));
}

TEST(Coroutine, MayEndTheChannelThatResumesIt) {
  const TestServer server;
  std::optional<Channel> channel = server.Connect();
  const auto talk = [](std::optional<Channel>& target) -> Task<absl::Status> {
    AsyncStream stream = OpenAsyncStream(*target, "/echo");
    stream.CloseSend();
    co_await stream.Next();
    target.reset();
    co_return absl::OkStatus();
  };
  Task<absl::Status> talking = talk(channel);
  EXPECT_THAT(talking.Get(), IsOk());
}

}  // namespace
}  // namespace cursorwire::connect
