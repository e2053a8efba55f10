// Calls that wait until their server can be reached: CallOptions::wait_for_ready.
#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cursorwire/connect/channel.h"
#include "support/errors.h"
#include "support/recording_observer.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using namespace std::chrono_literals;
using test::HasOrigin;
using test::IsOk;
using test::RecordingObserver;
using test::StatusIs;
using test::TestServer;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

CallOptions Waiting(std::chrono::milliseconds timeout = 30s) {
  return {.timeout = timeout, .wait_for_ready = WaitForReady::kYes};
}

Channel ChannelTo(uint16_t port) {
  return *Channel::Create(absl::StrCat("http://127.0.0.1:", port));
}

TEST(WaitForReady, IsOffByDefault) {
  const Channel channel = ChannelTo(test::RefusedPort());
  EXPECT_THAT(channel.Unary("/unary", "hi").status(), StatusIs(absl::StatusCode::kUnavailable));
}

TEST(WaitForReady, ACallIsServedOnceTheServerIsThere) {
  const uint16_t port = test::RefusedPort();
  const Channel channel = ChannelTo(port);
  // It has failed once when another call, which does not wait, has: they share the attempt.
  Stream stream = channel.OpenStream("/echo", Waiting());
  EXPECT_THAT(stream.Send("early"), IsOk());
  EXPECT_THAT(channel.Unary("/unary", "hi").status(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(stream.Send("late"), IsOk());
  stream.CloseSend();
  const TestServer server({.port = port});
  std::vector<std::string> echoes;
  for (const auto& message : stream) {
    ASSERT_THAT(message, IsOk());
    echoes.push_back(*message);
  }
  EXPECT_THAT(echoes, ElementsAre("early", "late"));
  EXPECT_THAT(channel.Unary("/unary", "hi", Waiting()), IsOk());
}

TEST(WaitForReady, TheTimeoutRunsOn) {
  const Channel channel = ChannelTo(test::RefusedPort());
  EXPECT_THAT(channel.Unary("/unary", "hi", Waiting(250ms)).status(),
              AllOf(StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("refused")),
                    HasOrigin(ErrorOrigin::kLocal)));
}

TEST(WaitForReady, ACallThatWaitsCanBeCancelled) {
  const Channel channel = ChannelTo(test::RefusedPort());
  Stream stream = channel.OpenStream("/echo", Waiting());
  EXPECT_THAT(channel.Unary("/unary", "hi").status(), StatusIs(absl::StatusCode::kUnavailable));
  stream.Cancel();
  EXPECT_THAT(*stream.Next(), StatusIs(absl::StatusCode::kCancelled));
}

TEST(WaitForReady, ACallThatWaitsEndsWithItsChannel) {
  std::optional<Channel> channel = ChannelTo(test::RefusedPort());
  Stream stream = channel->OpenStream("/echo", Waiting());
  EXPECT_THAT(channel->Unary("/unary", "hi").status(), StatusIs(absl::StatusCode::kUnavailable));
  channel.reset();
  EXPECT_THAT(*stream.Next(), StatusIs(absl::StatusCode::kCancelled));
}

TEST(WaitForReady, ACallThatSendsTooMuchMeanwhileEnds) {
  const Channel channel = ChannelTo(test::RefusedPort());
  Stream stream = channel.OpenStream("/echo", Waiting());
  EXPECT_THAT(channel.Unary("/unary", "hi").status(), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(stream.Send(std::string(size_t{2} << 20, 'x')), IsOk());
  EXPECT_THAT(*stream.Next(), StatusIs(absl::StatusCode::kUnavailable));
}

TEST(WaitForReady, IsNotForAServerThatWasReached) {
  const TestServer server({.connections_closed_at_once = 1000});
  const Channel channel = *Channel::Create(server.url());
  EXPECT_THAT(channel.Unary("/unary", "hi", Waiting()).status(),
              StatusIs(absl::StatusCode::kUnavailable));
}

// As of a host that is down, or behind a firewall: nothing refuses the attempt.
TEST(WaitForReady, WaitsForAServerThatDoesNotAnswerAtAll) {
  const test::FullListener nobody;
  const Channel channel = *Channel::Create(nobody.url(), {.http2 = {.connect_timeout = 20ms}});
  EXPECT_THAT(channel.Unary("/unary", "hi", {.timeout = 20s}).status(),
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("connecting to")));
  EXPECT_THAT(channel.Unary("/unary", "hi", Waiting(200ms)).status(),
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("waited for its server")));
}

// A call has a right to an attempt that begins with it.
TEST(WaitForReady, ACallThatJoinsAnAttemptMakesAnother) {
  const test::FullListener nobody;
  const Channel channel = *Channel::Create(nobody.url(), {.http2 = {.connect_timeout = 300ms}});
  Stream first = channel.OpenStream("/never");
  // The attempt has begun when another call on it is out of time.
  EXPECT_THAT(channel.Unary("/unary", "hi", {.timeout = 100ms}).status(),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
  const TimePoint start = std::chrono::steady_clock::now();
  EXPECT_THAT(channel.Unary("/unary", "hi").status(),
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("connecting to")));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 300ms);
}

// Nobody else's attempt: another would take as long once more.
TEST(WaitForReady, ACallThatBeginsAnAttemptMakesNoOther) {
  const test::SilentListener nobody;
  for (const char* scheme : {"http", "https"}) {
    const Channel channel =
        *Channel::Create(nobody.url(scheme), {.http2 = {.connect_timeout = 100ms}});
    EXPECT_THAT(channel.Unary("/unary", "hi").status(),
                StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("connecting to")));
    EXPECT_EQ(nobody.AcceptAll(), 1u) << scheme;
  }
}

// Without TLS a request leaves before the server has said anything: it may have acted.
TEST(WaitForReady, ACallThatJoinsAnAttemptIsNotSentTwice) {
  const test::SilentListener nobody;
  const Channel channel =
      *Channel::Create(nobody.url("http"), {.http2 = {.connect_timeout = 300ms}});
  Stream first = channel.OpenStream("/never");
  const auto second = channel.Unary("/unary", "hi");
  EXPECT_THAT(second.status(), StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_EQ(nobody.AcceptAll(), 1u);
}

}  // namespace
}  // namespace cursorwire::connect
