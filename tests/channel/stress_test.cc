// Many channels, threads and calls at once, with exact accounts: each call ends once.
#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cursorwire/connect/channel.h"
#include "support/errors.h"
#include "support/recording_observer.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using test::Exchange;
using test::IsOk;
using test::StreamingRequest;
using test::TestServer;

constexpr int kThreads = 8;
constexpr int kChannels = 4;
constexpr int kCalls = 50;  // of each thread on each channel

// What became of the calls that were started; each must stand here once.
struct Account {
  std::atomic<int> started = 0;
  std::atomic<int> ended = 0;
  std::atomic<int> wrong = 0;

  void End(bool right) {
    ++ended;
    if (!right) ++wrong;
  }
};

// Counts every OnEnd(), and what comes after it.
class CountingObserver final : public CallObserver {
 public:
  explicit CountingObserver(Account& account) : account_(account) {}
  ~CountingObserver() override {
    if (ends_ != 1) ++account_.wrong;
  }

  void OnStart(const Call& call) override { call_ = call; }
  void OnMessage(const MessageView& message) override {
    if (ends_ != 0) ++account_.wrong;
    call_.ReleaseCredit(message.credit);
  }
  void OnEnd(CallEnd end) override {
    ++ends_;
    account_.End(end.status.ok() || absl::IsCancelled(end.status));
    call_ = Call();
  }

 private:
  Account& account_;
  Call call_;
  int ends_ = 0;
};

// One call of one of the kinds, by number.
void MakeCall(const Channel& channel, int number, Account& account) {
  ++account.started;
  const std::string message = absl::StrCat("message ", number);
  switch (number % 5) {
    case 0: {
      const auto response = channel.Unary("/unary", message);
      return account.End(response.ok() ? response->message == message
                                       : absl::IsCancelled(response.status()));
    }
    case 1: {
      Stream stream = channel.OpenStream("/echo");
      (void)stream.Send(message);
      stream.CloseSend();
      std::vector<absl::StatusOr<std::string>> elements;
      for (auto& element : stream) elements.push_back(element);
      const bool echoed = elements.size() == 1 && elements[0].ok() && *elements[0] == message;
      const bool cancelled = !elements.empty() && absl::IsCancelled(elements.back().status());
      return account.End(echoed || cancelled);
    }
    case 2: {
      Stream stream = channel.OpenStream("/never");
      stream.Cancel();
      const auto end = stream.Next();
      return account.End(end && absl::IsCancelled(end->status()) && !stream.Next());
    }
    case 3: {
      const Call call =
          channel.Start(StreamingRequest("/echo"), std::make_shared<CountingObserver>(account));
      (void)call.Send(message);
      return call.CloseSend();
    }
    default: {
      const Call call =
          channel.Start(StreamingRequest("/never"), std::make_shared<CountingObserver>(account));
      (void)call.Send(message);
      return call.Cancel();
    }
  }
}

TEST(Stress, EveryCallOfManyThreadsAndChannelsEndsOnce) {
  const TestServer server;
  Account account;
  {
    std::vector<Channel> channels;
    for (int i = 0; i < kChannels; ++i) channels.push_back(server.Connect());
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&channels, &account, i] {
        for (int j = 0; j < kChannels * kCalls; ++j) {
          MakeCall(channels[static_cast<size_t>((i + j) % kChannels)], i + j, account);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(account.started, kThreads * kChannels * kCalls);
  EXPECT_EQ(account.ended, account.started);
  EXPECT_EQ(account.wrong, 0);
  EXPECT_EQ(server.stats().accepted, kChannels);
}

// The channels are destroyed by one thread, or by a callback, while the others make calls on them.
TEST(Stress, EveryCallEndsOnceWhenItsChannelIsDestroyed) {
  const TestServer server;
  for (int round = 0; round < 6; ++round) {
    SCOPED_TRACE(round);
    Account account;
    std::vector<std::shared_ptr<Channel>> channels;
    for (int i = 0; i < kChannels; ++i) {
      channels.push_back(std::make_shared<Channel>(server.Connect()));
    }
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      // Each thread gives its share of a channel up when it is done: the last destroys it, with the
      // calls of others that were only started.
      threads.emplace_back([channels, &account, i]() mutable {
        for (int j = 0; j < kChannels * 10; ++j) {
          MakeCall(*channels[static_cast<size_t>((i + j) % kChannels)], i + j, account);
        }
        channels.clear();
      });
    }
    channels.clear();
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(account.started, kThreads * kChannels * 10);
    EXPECT_EQ(account.ended, account.started);
    EXPECT_EQ(account.wrong, 0);
  }
}

// The first callback destroys the channel on which other threads have calls in flight.
TEST(Stress, ACallbackMayDestroyTheChannelBelowTheCallsOfOtherThreads) {
  const TestServer server;
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    auto channel = std::make_unique<Channel>(server.Connect());
    std::vector<Stream> streams;
    std::vector<std::thread> threads;
    std::atomic<int> cancelled = 0;
    for (int i = 0; i < kThreads; ++i) streams.push_back(channel->OpenStream("/never"));
    for (Stream& stream : streams) {
      threads.emplace_back([&stream, &cancelled] {
        const auto end = stream.Next();
        if (end && absl::IsCancelled(end->status()) && !stream.Next()) ++cancelled;
      });
    }
    const auto observer = std::make_shared<test::RecordingObserver>(test::RecordingObserver::Hooks{
        .on_message = [&channel](const Call&, std::string_view) { channel.reset(); }});
    const Call call = channel->Start(StreamingRequest("/echo"), observer);
    EXPECT_THAT(call.Send("x"), IsOk());
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(observer->AwaitEnd().code(), absl::StatusCode::kCancelled);
    EXPECT_EQ(cancelled, kThreads);
  }
}

// GOAWAY after GOAWAY: every call is answered, on one connection or the next.
TEST(Stress, CallsGoOnUnderAHailOfGoAways) {
  std::atomic<int> seen = 0;
  test::Behaviour echo = test::EchoUnary();
  echo.on_headers = [&seen](Exchange& exchange) {
    // Names all that came so far, so that none of them is refused.
    if (++seen % 10 == 0) exchange.SendGoAway(0x7FFFFFFF, 0);
  };
  const TestServer server({.routes = {{"/unary", echo}}});
  const Channel channel = server.Connect();
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&channel, &right] {
      for (int j = 0; j < kCalls; ++j) {
        if (channel.Unary("/unary", "x").ok()) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, kThreads * kCalls);
  EXPECT_EQ(seen, kThreads * kCalls);
  EXPECT_GT(server.stats().accepted, 1);
}

}  // namespace
}  // namespace cursorwire::connect
