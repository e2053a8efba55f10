#include "cursorwire/connect/completion_queue.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cursorwire/connect/channel.h"
#include "support/errors.h"
#include "support/recording_observer.h"
#include "support/sizes.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;
using test::Gone;
using test::IsOk;
using test::kKiB;
using test::kPatience;
using test::Requests;
using test::ServerStats;
using test::StatusIs;
using test::StreamingRequest;
using test::TestServer;

std::string Text(const Completion& completion) {
  const std::string tag = absl::StrCat(completion.tag, " ");
  if (const auto* head = std::get_if<ResponseHead>(&completion.what)) {
    return absl::StrCat(tag, "head ", head->http_status);
  }
  if (const auto* message = std::get_if<ReceivedMessage>(&completion.what)) {
    return absl::StrCat(tag, "message ", message->bytes);
  }
  if (const auto* end = std::get_if<CallEnd>(&completion.what)) {
    return absl::StrCat(tag, "end ", absl::StatusCodeToString(end->status.code()));
  }
  return tag + "writable";
}

// The next completion as text; "" if none comes.
std::string NextText(CompletionQueue& queue) {
  const auto completion = queue.Next(std::chrono::milliseconds(kPatience));
  return completion ? Text(*completion) : "";
}

TEST(CompletionQueue, HandsOutWhatHappensToACallInOrder) {
  const TestServer server;
  const Channel channel = server.Connect();
  CompletionQueue queue;
  const Call call = queue.Start(channel, StreamingRequest("/echo"), 7);
  EXPECT_THAT(call.Send("a"), IsOk());
  EXPECT_EQ(NextText(queue), "7 head 200");
  const auto first = queue.Next();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(Text(*first), "7 message a");
  EXPECT_FALSE(queue.TryNext().has_value());
  EXPECT_FALSE(queue.Next(1ms).has_value());
  EXPECT_FALSE(queue.finished());
  EXPECT_THAT(first->call.Send("b"), IsOk());
  EXPECT_EQ(NextText(queue), "7 message b");
  call.CloseSend();
  EXPECT_EQ(NextText(queue), "7 end OK");
}

TEST(CompletionQueue, OneThreadServesManyCallsOfManyChannels) {
  const TestServer server;
  const Channel channels[] = {server.Connect(), server.Connect()};
  constexpr uint64_t kCalls = 200;
  CompletionQueue queue;
  for (uint64_t tag = 0; tag < kCalls; ++tag) {
    const Call call = queue.Start(channels[tag % 2], StreamingRequest("/echo"), tag);
    ASSERT_THAT(call.Send(absl::StrCat("message ", tag)), IsOk());
    call.CloseSend();
  }
  queue.Shutdown();
  std::map<uint64_t, std::vector<std::string>> seen;
  while (const auto completion = queue.Next()) seen[completion->tag].push_back(Text(*completion));
  EXPECT_TRUE(queue.finished());
  ASSERT_EQ(seen.size(), kCalls);
  for (const auto& [tag, lines] : seen) {
    EXPECT_THAT(lines, ElementsAre(absl::StrCat(tag, " head 200"),
                                   absl::StrCat(tag, " message message ", tag),
                                   absl::StrCat(tag, " end OK")));
  }
}

TEST(CompletionQueue, ManyThreadsTakeEachCompletionOnce) {
  const TestServer server;
  const Channel channel = server.Connect();
  constexpr uint64_t kCalls = 100;
  constexpr int kMessages = 20;
  CompletionQueue queue;
  std::mutex mutex;
  std::map<std::string, int> seen;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      while (const auto completion = queue.Next()) {
        const std::lock_guard lock(mutex);
        ++seen[Text(*completion)];
      }
    });
  }
  for (uint64_t tag = 0; tag < kCalls; ++tag) {
    const Call call = queue.Start(channel, StreamingRequest("/echo"), tag);
    for (int i = 0; i < kMessages; ++i) ASSERT_THAT(call.Send(absl::StrCat(i)), IsOk());
    call.CloseSend();
  }
  queue.Shutdown();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen.size(), kCalls * (kMessages + 2));
  for (const auto& [text, count] : seen) EXPECT_EQ(count, 1) << text;
}

TEST(CompletionQueue, AServerWhoseMessagesAreKeptStops) {
  constexpr size_t kWindow = 64 * kKiB;
  constexpr size_t kMessage = 8 * kKiB;
  constexpr size_t kMessages = 100;
  const TestServer server({.routes = {{"/many", test::SendMessages(kMessages, kMessage)},
                                      {"/unary", test::EchoUnary()}}});
  const Channel channel = server.Connect({.http2 = {.stream_window_bytes = kWindow}});
  CompletionQueue queue;
  queue.Start(channel, StreamingRequest("/many"), 1).CloseSend();
  EXPECT_EQ(NextText(queue), "1 head 200");
  // Calls that go round on the same connection give the server its chance to send more.
  std::vector<Completion> kept;
  for (int idle_rounds = 0; idle_rounds < 5; ++idle_rounds) {
    ASSERT_THAT(channel.Unary("/unary", ""), IsOk());
    while (auto completion = queue.TryNext()) {
      ASSERT_TRUE(std::holds_alternative<ReceivedMessage>(completion->what));
      kept.push_back(*std::move(completion));
      idle_rounds = 0;
    }
  }
  EXPECT_GE(kept.size() * kMessage, kWindow / 2);
  EXPECT_LE(kept.size() * kMessage, kWindow + kMessage);
  size_t messages = kept.size();
  std::vector<Completion> moved = std::move(kept);
  moved.clear();
  queue.Shutdown();
  while (const auto completion = queue.Next(std::chrono::milliseconds(kPatience))) {
    if (std::holds_alternative<ReceivedMessage>(completion->what)) ++messages;
  }
  EXPECT_EQ(messages, kMessages);
  EXPECT_TRUE(queue.finished());
}

TEST(CompletionQueue, TellsWhenMuchThatWasUnsentHasGone) {
  TestServer server({.paused = true});
  const Channel channel = server.Connect();
  CompletionQueue queue;
  const Call call = queue.Start(channel, StreamingRequest("/never"), 3);
  EXPECT_THAT(call.Send(std::string(8 * kSendHighWater, 'x')), IsOk());
  EXPECT_FALSE(queue.TryNext().has_value());
  server.ResumeReading();
  EXPECT_EQ(NextText(queue), "3 writable");
  call.Cancel();
  EXPECT_EQ(NextText(queue), "3 end CANCELLED");
}

TEST(CompletionQueue, ServesPinsAndUnaryCalls) {
  const TestServer server;
  const Channel channel = server.Connect();
  const ConnectionPin pin = channel.Pin(std::make_shared<test::RecordingConnectionObserver>());
  CompletionQueue queue;
  const Call call = queue.Start(pin, {.path = "/unary", .kind = CallKind::kUnary}, 9);
  EXPECT_THAT(call.Send("ask"), IsOk());
  EXPECT_EQ(NextText(queue), "9 head 200");
  EXPECT_EQ(NextText(queue), "9 message ask");
  const auto end = queue.Next();
  ASSERT_TRUE(end && std::holds_alternative<CallEnd>(end->what));
  EXPECT_EQ(std::get<CallEnd>(end->what).trailers.Get("x-tail"), "2");
}

TEST(CompletionQueue, ShutdownWakesThoseThatWait) {
  CompletionQueue queue;
  std::vector<std::future<bool>> threads;
  for (int i = 0; i < 3; ++i) {
    threads.push_back(
        std::async(std::launch::async, [&queue] { return queue.Next().has_value(); }));
  }
  queue.Shutdown();
  for (auto& thread : threads) EXPECT_FALSE(test::WaitFor(thread));
  EXPECT_TRUE(queue.finished());
  EXPECT_FALSE(queue.Next(std::chrono::milliseconds::max()).has_value());
}

TEST(CompletionQueue, ShutdownLetsOpenCallsEndAndStartsNoMore) {
  const TestServer server;
  const Channel channel = server.Connect();
  CompletionQueue queue;
  const Call echo = queue.Start(channel, StreamingRequest("/echo"), 1);
  const Call never = queue.Start(channel, StreamingRequest("/never"), 2);
  ASSERT_TRUE(server.Await(Requests(2)));
  queue.Shutdown();
  const Call late = queue.Start(channel, StreamingRequest("/echo"), 3);
  EXPECT_THAT(late.Send("x"), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(echo.Send("still"), IsOk());
  EXPECT_EQ(NextText(queue), "1 head 200");
  EXPECT_EQ(NextText(queue), "1 message still");
  EXPECT_FALSE(queue.finished());
  queue.CancelAll();
  std::vector<std::string> ends = {NextText(queue), NextText(queue)};
  EXPECT_THAT(ends, ::testing::UnorderedElementsAre("1 end CANCELLED", "2 end CANCELLED"));
  EXPECT_FALSE(queue.Next().has_value());
  EXPECT_EQ(server.stats().requests, 2);
}

TEST(CompletionQueue, DestroyingItCancelsItsCalls) {
  const TestServer server;
  const Channel channel = server.Connect();
  std::optional<CompletionQueue> queue(std::in_place);
  for (uint64_t tag = 0; tag < 5; ++tag) queue->Start(channel, StreamingRequest("/never"), tag);
  const Call call = queue->Start(channel, StreamingRequest("/echo"), 5);
  EXPECT_THAT(call.Send("left behind"), IsOk());
  ASSERT_TRUE(server.Await(Requests(6)));
  queue.reset();
  EXPECT_TRUE(server.Await(Gone(6)));
  EXPECT_THAT(channel.Unary("/unary", "x"), IsOk());
}

TEST(CompletionQueue, DestroyingItDoesNotWaitForTheNetwork) {
  const test::SilentListener listener;
  const auto channel = Channel::Create(listener.url("https"));
  ASSERT_THAT(channel, IsOk());
  CompletionQueue queue;
  EXPECT_THAT(queue.Start(*channel, StreamingRequest("/x"), 1).Send("x"), IsOk());
}

TEST(CompletionQueue, TellsOfACallOnAClosedChannel) {
  const TestServer server;
  std::optional<Channel> channel = server.Connect();
  const ConnectionPin pin = channel->Pin(std::make_shared<test::RecordingConnectionObserver>());
  CompletionQueue queue;
  queue.Start(*channel, StreamingRequest("/never"), 1);
  channel.reset();
  queue.Start(pin, StreamingRequest("/never"), 2);
  EXPECT_EQ(NextText(queue), "1 end CANCELLED");
  EXPECT_EQ(NextText(queue), "2 end CANCELLED");
  queue.Shutdown();
  EXPECT_TRUE(queue.finished());
}

TEST(CompletionQueue, CompletionsOutliveQueueAndChannel) {
  std::optional<Completion> kept;
  {
    const TestServer server;
    const Channel channel = server.Connect();
    CompletionQueue queue;
    EXPECT_THAT(queue.Start(channel, StreamingRequest("/echo"), 1).Send("kept"), IsOk());
    EXPECT_EQ(NextText(queue), "1 head 200");
    kept = queue.Next();
  }
  ASSERT_TRUE(kept.has_value());
  EXPECT_EQ(Text(*kept), "1 message kept");
  EXPECT_THAT(kept->call.Send("x"), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(CompletionQueue, CallsMayBeStartedWhileOthersTake) {
  const TestServer server;
  const Channel channel = server.Connect();
  CompletionQueue queue;
  std::atomic<int> ends = 0;
  std::thread taker([&] {
    while (const auto completion = queue.Next()) {
      if (std::holds_alternative<CallEnd>(completion->what)) ++ends;
    }
  });
  std::vector<std::thread> starters;
  for (int i = 0; i < 3; ++i) {
    starters.emplace_back([&] {
      for (uint64_t tag = 0; tag < 50; ++tag) {
        const Call call = queue.Start(channel, StreamingRequest("/echo"), tag);
        if (tag % 2 == 0) {
          call.CloseSend();
        } else {
          call.Cancel();
        }
      }
    });
  }
  for (std::thread& starter : starters) starter.join();
  queue.Shutdown();
  taker.join();
  EXPECT_EQ(ends, 150);
}

}  // namespace
}  // namespace cursorwire::connect
