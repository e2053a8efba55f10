#include <gtest/gtest.h>

#include <absl/strings/str_cat.h>

#include <atomic>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cursorwire/connect/channel.h"
#include "net/poller.h"
#include "support/errors.h"
#include "support/recording_observer.h"
#include "support/test_server.h"

// What holds when a thread that waits in Next() does the I/O of the channel.
namespace cursorwire::connect {
namespace {

using namespace std::chrono_literals;
using test::IsOk;
using test::kPatience;
using test::RecordingObserver;
using test::ServerStats;
using test::StatusIs;
using test::StreamingRequest;
using test::TestServer;

void PingPong(Stream& stream, int count) {
  for (int i = 0; i < count; ++i) {
    ASSERT_THAT(stream.Send(absl::StrCat("ping ", i)), IsOk());
    const auto answer = stream.Next();
    ASSERT_TRUE(answer.has_value());
    ASSERT_THAT(*answer, IsOk());
    ASSERT_EQ(**answer, absl::StrCat("ping ", i));
  }
}

// Tells on which thread it is called.
class Probe final : public CallObserver {
 public:
  explicit Probe(CallbackThread where = CallbackThread::kAny) : where_(where) {}

  std::future<std::thread::id> alarm() { return alarm_.get_future(); }
  std::future<absl::Status> end() { return end_.get_future(); }
  std::thread::id woken_on() const { return woken_on_; }

  CallbackThread callback_thread() const override { return where_; }
  void OnMessage(const MessageView&) override {}
  void OnWake(TimePoint) override { woken_on_ = std::this_thread::get_id(); }
  void OnAlarm(TimePoint) override { alarm_.set_value(std::this_thread::get_id()); }
  void OnEnd(CallEnd end) override { end_.set_value(end.status); }

 private:
  const CallbackThread where_;
  std::atomic<std::thread::id> woken_on_{};
  std::promise<std::thread::id> alarm_;
  std::promise<absl::Status> end_;
};

// Talks on `stream` until this thread has held the role; false if it never does.
bool AwaitDriving(Stream& stream, const Call& call, const Probe& probe) {
  for (const TimePoint end = net::Now() + kPatience; net::Now() < end;) {
    PingPong(stream, 5);
    call.Wake();
    PingPong(stream, 1);
    if (probe.woken_on() == std::this_thread::get_id()) return true;
  }
  return false;
}

// A stream whose consumer, this thread, has driven the channel, and a call beside it.
struct Driven {
  explicit Driven(TestServer& server, const CallOptions& options = {})
      : channel(server.Connect()),
        stream(channel->OpenStream("/echo")),
        probe(std::make_shared<Probe>()),
        call(channel->Start(StreamingRequest("/never", options), probe)) {
    EXPECT_TRUE(AwaitDriving(stream, call, *probe));
  }

  std::optional<Channel> channel;
  Stream stream;
  std::shared_ptr<Probe> probe;
  Call call;
};

TEST(StreamConsumer, DrivesTheChannelAndServesOtherCalls) {
  TestServer server;
  Driven driven(server);
  PingPong(driven.stream, 100);
  EXPECT_TRUE(AwaitDriving(driven.stream, driven.call, *driven.probe));
}

TEST(StreamConsumer, DoesNotDriveWhereTheChannelAloneMay) {
  TestServer server;
  const Channel channel = server.Connect({.io_thread = IoThread::kChannelOnly});
  Stream stream = channel.OpenStream("/echo");
  const auto probe = std::make_shared<Probe>();
  const Call call = channel.Start(StreamingRequest("/never"), probe);
  for (int i = 0; i < 50; ++i) {
    PingPong(stream, 3);
    call.Wake();
    PingPong(stream, 1);
    EXPECT_NE(probe->woken_on(), std::this_thread::get_id());
  }
}

TEST(StreamConsumer, DoesNotDriveWhileAnObserverWantsTheChannelsThread) {
  TestServer server;
  Driven driven(server);
  // It fails the test when it is called on more than one thread.
  const auto observer = std::make_shared<RecordingObserver>();
  const Call call = driven.channel->Start(StreamingRequest("/echo"), observer);
  for (int i = 0; i < 100; ++i) {
    ASSERT_THAT(call.Send("to the observer"), IsOk());
    driven.call.Wake();
    PingPong(driven.stream, 3);
    call.Wake();
  }
  EXPECT_NE(driven.probe->woken_on(), std::this_thread::get_id());
  call.CloseSend();
  EXPECT_THAT(observer->AwaitEnd(), IsOk());
  EXPECT_TRUE(AwaitDriving(driven.stream, driven.call, *driven.probe)) << "again";
}

TEST(StreamConsumer, LeavesAlarmsToTheChannelAfterwards) {
  TestServer server;
  Driven driven(server);
  auto alarm = driven.probe->alarm();
  driven.call.SetAlarm(net::Now() + 5ms);
  EXPECT_NE(test::WaitFor(alarm), std::this_thread::get_id());
  PingPong(driven.stream, 10);
}

TEST(StreamConsumer, SeesTimeoutsOfOtherCallsWhileItDrives) {
  TestServer server;
  Driven driven(server);
  const auto timed = std::make_shared<Probe>();
  auto end = timed->end();
  // Its end lets the stream's consumer go on: only that one can see the deadline.
  std::thread ender([&] {
    EXPECT_THAT(test::WaitFor(end), StatusIs(absl::StatusCode::kDeadlineExceeded));
    driven.stream.Cancel();
  });
  driven.channel->Start(StreamingRequest("/never", {.timeout = 20ms}), timed);
  EXPECT_THAT(*driven.stream.Next(), StatusIs(absl::StatusCode::kCancelled));
  ender.join();
}

TEST(StreamConsumer, LeavesTimeoutsOfOtherCallsToTheChannelAfterwards) {
  TestServer server;
  Driven driven(server);
  const auto timed = std::make_shared<Probe>();
  auto end = timed->end();
  driven.channel->Start(StreamingRequest("/never", {.timeout = 20ms}), timed);
  EXPECT_THAT(test::WaitFor(end), StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST(StreamConsumer, HearsOfACancelByAnotherThread) {
  TestServer server;
  Driven driven(server);
  std::thread canceller([&] { driven.stream.Cancel(); });
  EXPECT_THAT(*driven.stream.Next(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_FALSE(driven.stream.Next().has_value());
  canceller.join();
  EXPECT_TRUE(server.Await([](const ServerStats& stats) { return stats.gone == 1; }));
}

TEST(StreamConsumer, EndsWhenTheChannelIsDestroyedMeanwhile) {
  for (int i = 0; i < 20; ++i) {
    TestServer server;
    Driven driven(server);
    std::thread destroyer([&] { driven.channel.reset(); });
    EXPECT_THAT(*driven.stream.Next(), StatusIs(absl::StatusCode::kCancelled));
    EXPECT_FALSE(driven.stream.Next().has_value());
    destroyer.join();
    EXPECT_THAT(test::WaitFor(driven.probe->end()), StatusIs(absl::StatusCode::kCancelled));
  }
}

TEST(StreamConsumer, EndsWhenTheChannelIsDestroyedBeforehand) {
  TestServer server;
  Driven driven(server);
  driven.channel.reset();
  EXPECT_THAT(*driven.stream.Next(), StatusIs(absl::StatusCode::kCancelled));
}

TEST(StreamConsumer, EndsWithTheConnection) {
  TestServer server;
  Driven driven(server);
  server.CloseConnections();
  EXPECT_THAT(*driven.stream.Next(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(test::WaitFor(driven.probe->end()), StatusIs(absl::StatusCode::kUnavailable));
}

TEST(StreamConsumer, DrivesInTurnsWithOthers) {
  constexpr int kConsumers = 4;
  TestServer server({.security = Security::kTls});
  const Channel channel = server.Connect();
  std::vector<std::thread> consumers;
  for (int i = 0; i < kConsumers; ++i) {
    consumers.emplace_back([&] {
      Stream stream = channel.OpenStream("/echo");
      PingPong(stream, 200);
      stream.CloseSend();
      EXPECT_FALSE(stream.Next().has_value());
    });
  }
  for (std::thread& consumer : consumers) consumer.join();
}

// The window is small, so that it fills again and again: credit has to go back all the time.
TEST(StreamConsumer, ReturnsCreditWhileItDrives) {
  TestServer server(
      {.routes = {{"/echo", test::EchoStream()}, {"/many", test::SendMessages(2000, 1000)}}});
  const Channel channel = server.Connect({.http2 = {.stream_window_bytes = 20'000}});
  Stream slow = channel.OpenStream("/many");
  Stream fast = channel.OpenStream("/many");
  Stream echo = channel.OpenStream("/echo");
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(fast.Next().has_value());
    if (i % 100 == 0) PingPong(echo, 2);
  }
  EXPECT_FALSE(fast.Next().has_value());
  int slow_messages = 0;
  for (const auto& message : slow) slow_messages += message.ok() ? 1 : 0;
  EXPECT_EQ(slow_messages, 2000);
}

TEST(StreamConsumer, SendsWhatAnotherThreadHandsIn) {
  constexpr size_t kMessages = 2000;
  TestServer server;
  const Channel channel = server.Connect();
  Stream stream = channel.OpenStream("/echo");
  PingPong(stream, 20);
  std::thread sender([&] {
    for (size_t i = 0; i < kMessages; ++i) {
      EXPECT_THAT(stream.Send(std::string(10'000, 's')), IsOk());
    }
    stream.CloseSend();
  });
  size_t messages = 0;
  for (const auto& message : stream) messages += message.ok() ? 1 : 0;
  EXPECT_EQ(messages, kMessages);
  sender.join();
}

TEST(StreamConsumer, ServesAThreadThatWaitsForHeaders) {
  TestServer server;
  Driven driven(server);
  for (int i = 0; i < 20; ++i) {
    Stream other = driven.channel->OpenStream("/echo");
    ASSERT_THAT(other.Send("for the headers"), IsOk());
    EXPECT_EQ(other.WaitForHead().http_status, 200);
    PingPong(driven.stream, 3);
  }
}

TEST(StreamConsumer, DrivesForUnaryCallsToo) {
  TestServer server;
  const Channel channel = server.Connect();
  for (int i = 0; i < 200; ++i) {
    const auto response = channel.Unary("/unary", absl::StrCat("ask ", i));
    ASSERT_THAT(response, IsOk());
    EXPECT_EQ(response->message, absl::StrCat("ask ", i));
  }
}

}  // namespace
}  // namespace cursorwire::connect
