#include "cursorwire/connect/stream.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <optional>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "cursorwire/connect/channel.h"
#include "cursorwire/connect/connection.h"
#include "cursorwire/connect/error_info.h"
#include "support/errors.h"
#include "support/recording_observer.h"
#include "support/sizes.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using test::IsOk;
using test::IsOkAndHolds;
using test::kKiB;
using test::kMiB;
using test::kPatience;
using test::ServerStats;
using test::StatusIs;
using test::TestServer;

// What is left of a stream: the bytes of its messages, and how it ended.
struct Rest {
  size_t messages = 0;
  size_t bytes = 0;
  absl::Status status{};
};

Rest Drain(Stream& stream) {
  Rest rest;
  while (const auto message = stream.Next()) {
    if (!rest.status.ok()) ADD_FAILURE() << "an element after the error";
    rest.status = message->status();
    if (!message->ok()) continue;
    ++rest.messages;
    rest.bytes += (*message)->size();
  }
  EXPECT_FALSE(stream.Next().has_value());
  return rest;
}

// A message that is there now or soon; a failure of the test and "" if there is none.
std::string NextMessage(Stream& stream) {
  auto message = stream.Next();
  if (!message || !message->ok()) {
    ADD_FAILURE() << (message ? message->status().ToString() : "no message");
    return "";
  }
  return **std::move(message);
}

TEST(Stream, EchoesManyMessagesInOrder) {
  for (const Security security : {Security::kPlaintext, Security::kTls}) {
    const TestServer server({.security = security});
    const Channel channel = server.Connect();
    Stream stream = channel.OpenStream("/echo");
    constexpr int kMessages = 2000;
    for (int i = 0; i < kMessages; ++i) {
      ASSERT_THAT(stream.Send(absl::StrCat("message ", i)), IsOk());
    }
    stream.CloseSend();
    for (int i = 0; i < kMessages; ++i) {
      ASSERT_EQ(NextMessage(stream), absl::StrCat("message ", i));
    }
    EXPECT_FALSE(stream.Next().has_value());
    EXPECT_FALSE(stream.Next().has_value());
  }
}

TEST(Stream, AnswersComeWhileItSendsAndAfterItsHalfClose) {
  TestServer server({.routes = {{"/late",
                                 {.on_body =
                                      [](test::Exchange& exchange) {
                                        for (const auto& message : exchange.TakeMessages()) {
                                          exchange.SendMessage(message + "!");
                                        }
                                      },
                                  .on_end =
                                      [](test::Exchange& exchange) {
                                        exchange.SendMessage("after the half-close");
                                        exchange.EndStream(R"({"metadata":{"X-Tail":["a","b"]}})");
                                      }}}}});
  const Channel channel = server.Connect();
  Stream stream = channel.OpenStream("/late");
  ASSERT_THAT(stream.Send("one"), IsOk());
  EXPECT_EQ(NextMessage(stream), "one!");
  ASSERT_THAT(stream.Send(""), IsOk());
  EXPECT_EQ(NextMessage(stream), "!");
  EXPECT_TRUE(stream.trailers().empty());
  stream.CloseSend();
  EXPECT_THAT(stream.Send("late"), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(NextMessage(stream), "after the half-close");
  EXPECT_FALSE(stream.Next().has_value());
  EXPECT_THAT(stream.trailers().GetAll("x-tail"), ElementsAre("a", "b"));
  EXPECT_THAT(stream.Send("later"), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST(Stream, IsARangeWithTheErrorLast) {
  const TestServer server({.routes = {{"/fails", {.on_headers = [](test::Exchange& exchange) {
                                         exchange.SendMessage("a");
                                         exchange.SendMessage("b");
                                         exchange.EndStream(
                                             R"({"error":{"code":"not_found","message":"no more"},
                                            "metadata":{"x-tail":["t"]}})");
                                       }}}}});
  const Channel channel = server.Connect();
  Stream stream = channel.OpenStream("/fails");
  std::vector<std::string> elements;
  for (const absl::StatusOr<std::string>& message : stream) {
    elements.push_back(message.ok() ? *message : message.status().ToString());
  }
  ASSERT_EQ(elements.size(), 3u);
  EXPECT_EQ(elements[0], "a");
  EXPECT_EQ(elements[1], "b");
  EXPECT_THAT(elements[2], HasSubstr("no more"));
  EXPECT_TRUE(stream.begin() == stream.end()) << "nullopt forever";
  EXPECT_EQ(stream.trailers().Get("x-tail"), "t");
}

TEST(Stream, HeadWaitsForTheHeadersAndStaysAfterTheEnd) {
  const TestServer server({.routes = {{"/head", {.on_end = [](test::Exchange& exchange) {
                                         exchange.SendHeaders(
                                             {{":status", "200"},
                                              {"content-type", "application/connect+proto"},
                                              {"x-mine", "7"}});
                                       }}}}});
  const Channel channel = server.Connect();
  Stream stream = channel.OpenStream("/head");
  auto head = std::async(std::launch::async, [&] { return stream.WaitForHead(); });
  stream.CloseSend();  // only now the server answers
  EXPECT_EQ(test::WaitFor(head).headers.Get("x-mine"), "7");
  stream.Cancel();
  EXPECT_THAT(*stream.Next(), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(stream.WaitForHead().http_status, 200);
}

TEST(Stream, HeadReturnsWhenTheCallEndsWithoutHeaders) {
  const TestServer server({.routes = {{"/close", test::CloseTheConnection()}}});
  const Channel channel = server.Connect();
  Stream stream = channel.OpenStream("/close");
  EXPECT_EQ(stream.WaitForHead().http_status, 0);
  EXPECT_THAT(*stream.Next(), StatusIs(absl::StatusCode::kUnavailable));
}

TEST(Stream, CancelFromAnotherThreadEndsABlockedNext) {
  const TestServer server;
  const Channel channel = server.Connect();
  Stream stream = channel.OpenStream("/never");
  auto next = std::async(std::launch::async, [&] { return stream.Next(); });
  ASSERT_TRUE(server.Await([](const ServerStats& stats) { return stats.requests == 1; }));
  stream.Cancel();
  stream.Cancel();
  const auto last = test::WaitFor(next);
  ASSERT_TRUE(last.has_value());
  EXPECT_THAT(*last, StatusIs(absl::StatusCode::kCancelled));
  EXPECT_THAT(*last, test::HasOrigin(ErrorOrigin::kLocal));
  EXPECT_FALSE(stream.Next().has_value());
  stream.Cancel();
  EXPECT_TRUE(server.Await([](const ServerStats& stats) { return stats.gone == 1; }));
}

TEST(Stream, CancelDropsTheMessagesThatWait) {
  // The first call goes on; the second has ended well.
  for (const size_t messages : {size_t{1000}, size_t{3}}) {
    SCOPED_TRACE(messages);
    const TestServer server({.routes = {{"/many", test::SendMessages(messages, 10 * kKiB)}}});
    const Channel channel = server.Connect();
    Stream stream = channel.OpenStream("/many");
    stream.CloseSend();
    EXPECT_EQ(NextMessage(stream).size(), 10 * kKiB);
    stream.Cancel();
    const auto last = stream.Next();
    ASSERT_TRUE(last.has_value());
    EXPECT_THAT(*last, StatusIs(absl::StatusCode::kCancelled));
    EXPECT_THAT(*last, test::HasOrigin(ErrorOrigin::kLocal));
    EXPECT_FALSE(stream.Next().has_value());
  }
}

TEST(Stream, CancelAfterTheEndChangesNothing) {
  const TestServer server({.routes = {{"/many", test::SendMessages(1, 1)}}});
  const Channel channel = server.Connect();
  Stream stream = channel.OpenStream("/many");
  stream.CloseSend();
  EXPECT_EQ(NextMessage(stream).size(), 1u);
  EXPECT_FALSE(stream.Next().has_value());
  stream.Cancel();
  EXPECT_FALSE(stream.Next().has_value());
}

TEST(Stream, DestroyingItInTheMiddleCancelsTheCall) {
  const TestServer server({.routes = {{"/many", test::SendMessages(1000, 100 * kKiB)}}});
  const Channel channel = server.Connect();
  {
    Stream stream = channel.OpenStream("/many");
    EXPECT_EQ(NextMessage(stream).size(), 100 * kKiB);
  }
  EXPECT_TRUE(server.Await([](const ServerStats& stats) { return stats.gone == 1; }));
  EXPECT_LT(server.stats().sent_bytes, 90 * kMiB);
}

TEST(Stream, AssigningToItCancelsTheCallItWas) {
  const TestServer server;
  const Channel channel = server.Connect();
  Stream stream = channel.OpenStream("/never");
  ASSERT_TRUE(server.Await([](const ServerStats& stats) { return stats.requests == 1; }));
  stream = channel.OpenStream("/echo");
  EXPECT_TRUE(server.Await([](const ServerStats& stats) { return stats.gone == 1; }));
  ASSERT_THAT(stream.Send("moved"), IsOk());
  Stream moved(std::move(stream));
  EXPECT_EQ(NextMessage(moved), "moved");
}

TEST(Stream, SendWaitsWhileTheServerReadsNothing) {
  constexpr size_t kMessage = 256 * kKiB;
  constexpr size_t kMessages = 64;
  TestServer server({.paused = true});
  const Channel channel = server.Connect();
  Stream stream = channel.OpenStream("/echo");
  std::atomic<size_t> sent = 0;
  size_t most_ahead = 0;
  std::promise<void> stuck;
  std::thread sender([&] {
    for (size_t i = 1; i <= kMessages; ++i) {
      EXPECT_THAT(stream.Send(std::string(kMessage, 's')), IsOk());
      sent = i * kMessage;
      const size_t seen = server.stats().body_bytes;
      most_ahead = std::max(most_ahead, sent - std::min<size_t>(seen, sent));
      if (i == 4) stuck.set_value();
    }
    stream.CloseSend();
  });
  test::WaitFor(stuck.get_future());
  EXPECT_LE(sent, 2 * kSendHighWater);
  EXPECT_EQ(server.stats().body_bytes, 0u);
  server.ResumeReading();
  EXPECT_EQ(Drain(stream).bytes, kMessages * kMessage);
  sender.join();
  // What is unsent, what is in the server's window, and some messages on their way.
  EXPECT_LE(most_ahead, kSendHighWater + kMiB + 8 * kMessage);
}

TEST(Stream, SendThatWaitsEndsWithTheCall) {
  TestServer server({.paused = true});
  std::optional<Channel> channel = server.Connect();
  Stream stream = channel->OpenStream("/echo");
  std::promise<void> filled;
  auto last = std::async(std::launch::async, [&] {
    for (int i = 0;; ++i) {
      if (absl::Status status = stream.Send(std::string(kMiB, 's')); !status.ok()) return status;
      if (i == 0) filled.set_value();
    }
  });
  test::WaitFor(filled.get_future());
  channel.reset();
  EXPECT_THAT(test::WaitFor(last), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(*stream.Next(), StatusIs(absl::StatusCode::kCancelled));
}

// Below and above half of the high-water mark, where a Send() crosses it with what the one before
// left. A wake-up that is lost leaves the sender asleep with nothing unsent.
TEST(Stream, MovesMuchBothWaysInTwoThreads) {
  struct Case {
    Security security;
    size_t message_bytes;
    size_t messages;
  };
  constexpr Case kCases[] = {{Security::kPlaintext, 256 * kKiB, 128},
                             {Security::kPlaintext, 600 * kKiB, 60},
                             {Security::kTls, 256 * kKiB, 128}};
  for (const auto& [security, message_bytes, messages] : kCases) {
    const TestServer server({.security = security});
    const Channel channel = server.Connect();
    Stream stream = channel.OpenStream("/echo");
    auto sender = std::async(std::launch::async, [&stream, size = message_bytes, count = messages] {
      absl::Status status;
      for (size_t i = 0; i < count && status.ok(); ++i) {
        status = stream.Send(std::string(size, 'x'));
      }
      stream.CloseSend();
      return status;
    });
    auto receiver = std::async(std::launch::async, [&] { return Drain(stream); });
    if (receiver.wait_for(kPatience) != std::future_status::ready) {
      ADD_FAILURE() << "stuck";
      stream.Cancel();
    }
    EXPECT_THAT(test::WaitFor(sender), IsOk());
    const Rest rest = test::WaitFor(receiver);
    EXPECT_THAT(rest.status, IsOk());
    EXPECT_EQ(rest.messages, messages);
    EXPECT_EQ(rest.bytes, messages * message_bytes);
  }
}

TEST(Stream, OneSlowReaderStopsNoOtherStream) {
  // Each alone is more than the window of the connection, of which the slow one may hold a part.
  const TestServer server({.routes = {{"/slow", test::SendMessages(2000, 10 * kKiB)},
                                      {"/fast", test::SendMessages(2000, 10 * kKiB)}}});
  const Channel channel = server.Connect();
  Stream slow = channel.OpenStream("/slow");
  EXPECT_EQ(NextMessage(slow).size(), 10 * kKiB);
  Stream fast = channel.OpenStream("/fast");
  EXPECT_EQ(Drain(fast).bytes, 2000 * 10 * kKiB);
  const Rest rest = Drain(slow);
  EXPECT_EQ(rest.messages, 1999u);
  EXPECT_THAT(rest.status, IsOk());
  EXPECT_EQ(server.stats().accepted, 1);
}

// Bytes that the server could send while the reader takes nothing: until they stay the same over
// several calls that go round on the same connection, after which all credit has gone back.
size_t SentWhenStalled(const TestServer& server, const Channel& channel) {
  size_t before = 0;
  for (int same = 0; same < 5;) {
    const auto round_trip = channel.Unary("/unary", "");
    EXPECT_THAT(round_trip, IsOk());
    if (!round_trip.ok()) break;
    const size_t sent = server.stats().sent_bytes;
    same = sent - before < kKiB ? same + 1 : 0;  // the answer itself is small
    before = sent;
  }
  return before;
}

TEST(Stream, HoldsNoMoreThanItsWindowAndOneMessage) {
  struct Case {
    const char* name;
    size_t message;
    size_t count;
  };
  constexpr Case kCases[] = {
      {"small messages", 1 * kKiB, 16 * kKiB},
      {"messages of some frames", 60 * kKiB, 250},
      {"messages of a quarter of the window", 256 * kKiB, 64},
      {"messages over the window", 2 * kMiB, 8},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.name);
    const TestServer server({.routes = {{"/many", test::SendMessages(c.count, c.message)},
                                        {"/unary", test::EchoUnary()}}});
    const Channel channel = server.Connect({.http2 = {.stream_window_bytes = kMiB}});
    Stream stream = channel.OpenStream("/many", {.max_receive_bytes = c.message});
    EXPECT_EQ(stream.WaitForHead().http_status, 200);
    // Frame headers and the answers in between are far below a sixteenth.
    EXPECT_LE(SentWhenStalled(server, channel), (kMiB + c.message) * 17 / 16);
    // And nothing is lost by it.
    const Rest rest = Drain(stream);
    EXPECT_EQ(rest.messages, c.count);
    EXPECT_EQ(rest.bytes, c.count * c.message);
    EXPECT_THAT(rest.status, IsOk());
  }
}

TEST(Stream, CreditGoesBackAsMessagesAreTaken) {
  // A window of less than one message, and messages of less than a window.
  for (const uint32_t window : {uint32_t{1000}, uint32_t{64 * kKiB}}) {
    SCOPED_TRACE(window);
    const TestServer server({.routes = {{"/many", test::SendMessages(500, 2000)}}});
    const Channel channel = server.Connect({.http2 = {.stream_window_bytes = window}});
    Stream stream = channel.OpenStream("/many");
    for (int i = 0; i < 500; ++i) ASSERT_EQ(NextMessage(stream).size(), 2000u) << i;
    EXPECT_FALSE(stream.Next().has_value());
  }
}

TEST(Stream, RefusesToSendAMessageOverTheLimitAndGoesOn) {
  const TestServer server;
  const Channel channel = server.Connect();
  Stream stream = channel.OpenStream("/echo", {.max_send_bytes = 10});
  EXPECT_THAT(stream.Send(std::string(11, 'x')),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("11 bytes")));
  ASSERT_THAT(stream.Send(std::string(10, 'x')), IsOk());
  stream.CloseSend();
  const Rest rest = Drain(stream);
  EXPECT_EQ(rest.messages, 1u);
  EXPECT_THAT(rest.status, IsOk());
}

TEST(Stream, AMessageOverTheReceiveLimitEndsItBehindThoseBefore) {
  const TestServer server({.routes = {{"/grows", {.on_headers = [](test::Exchange& exchange) {
                                         exchange.SendMessage(std::string(10, 'x'));
                                         exchange.SendMessage(std::string(11, 'x'));
                                       }}}}});
  const Channel channel = server.Connect();
  Stream stream = channel.OpenStream("/grows", {.max_receive_bytes = 10});
  const Rest rest = Drain(stream);
  EXPECT_EQ(rest.messages, 1u);
  EXPECT_THAT(rest.status, StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_TRUE(server.Await([](const ServerStats& stats) { return stats.gone == 1; }));
}

TEST(Stream, EndsWithTheReasonOfTheServer) {
  struct Case {
    const char* path;
    test::Behaviour behaviour;
    absl::StatusCode code;
    ErrorOrigin origin;
  };
  const Case cases[] = {
      {"/reset", test::ResetWith(0x8), absl::StatusCode::kCancelled, ErrorOrigin::kTransport},
      {"/refused", test::ResetWith(0x7), absl::StatusCode::kUnavailable, ErrorOrigin::kTransport},
      {"/calm", test::ResetWith(0xb), absl::StatusCode::kResourceExhausted,
       ErrorOrigin::kTransport},
      {"/goaway", test::GoAwayWith(0, 0), absl::StatusCode::kUnavailable, ErrorOrigin::kTransport},
      {"/close", test::CloseTheConnection(), absl::StatusCode::kUnavailable,
       ErrorOrigin::kTransport},
      {"/html", test::AnswerHttp(503, "text/html", "<p>busy</p>"), absl::StatusCode::kUnavailable,
       ErrorOrigin::kServer},
      {"/json", test::AnswerHttp(200, "application/json", "{}"), absl::StatusCode::kUnknown,
       ErrorOrigin::kProtocol},
      {"/denied", test::EndStreamWith(R"({"error":{"code":"permission_denied"}})"),
       absl::StatusCode::kPermissionDenied, ErrorOrigin::kServer},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.path);
    const TestServer server({.routes = {{c.path, c.behaviour}}});
    const Channel channel = server.Connect();
    Stream stream = channel.OpenStream(c.path);
    stream.CloseSend();
    const Rest rest = Drain(stream);
    EXPECT_THAT(rest.status, StatusIs(c.code));
    EXPECT_THAT(rest.status, test::HasOrigin(c.origin));
  }
}

TEST(Stream, EndsOnceWhereverTheConnectionBreaks) {
  size_t all_bytes = 0;
  const auto routes = [] {
    return std::map<std::string, test::Behaviour>{{"/many", test::SendMessages(3, 10)}};
  };
  {
    const TestServer server({.routes = routes()});
    const Channel channel = server.Connect();
    Stream stream = channel.OpenStream("/many");
    EXPECT_EQ(Drain(stream).messages, 3u);
    all_bytes = server.stats().sent_bytes;
  }
  for (size_t bytes = 0; bytes < all_bytes; bytes += 3) {
    SCOPED_TRACE(bytes);
    const TestServer server({.routes = routes(), .close_after_bytes = bytes});
    const Channel channel = server.Connect();
    Stream stream = channel.OpenStream("/many");
    const Rest rest = Drain(stream);
    // The end of the stream may be known before the server's last control frames.
    if (rest.status.ok()) {
      EXPECT_EQ(rest.messages, 3u);
    } else {
      EXPECT_THAT(rest.status, StatusIs(absl::StatusCode::kUnavailable));
    }
  }
}

TEST(Stream, TellsThatTheServerDoesNotSpeakHttp2) {
  const TestServer server({.greeting = "HTTP/1.1 400 Bad Request\r\n\r\n"});
  const Channel channel = server.Connect();
  Stream stream = channel.OpenStream("/echo");
  const Rest rest = Drain(stream);
  EXPECT_THAT(rest.status, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("HTTP/1.1")));
}

}  // namespace
}  // namespace cursorwire::connect
