// Calls that are given up: by the client's deadline, the server's, and Cancel().
#include <gmock/gmock.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "interop/interop.h"
#include "support/status_matchers.h"

namespace cursorwire::test {
namespace {

using absl::StatusCode;
using connect::AnnounceTimeout;
using connect::ErrorOrigin;
using std::chrono::seconds;

class InteropCancel : public Interop {
 protected:
  // Connects, so that the timeouts, long enough for a busy machine, are for the call alone.
  void Connect() const { ASSERT_THAT(connect::Unary(channel_, kEcho, pb::EchoRequest()), IsOk()); }

  static pb::Behavior Hang() {
    pb::Behavior behavior;
    behavior.set_hang(true);
    behavior.set_key(Key());
    return behavior;
  }

  // A stream that has had one message and gets no other.
  static connect::TypedStream<pb::CountRequest, pb::CountResponse> HangingStream(
      const connect::Channel& channel, const connect::CallOptions& options = {}) {
    pb::CountRequest request;
    request.set_messages(1);
    *request.mutable_behavior() = Hang();
    auto stream = connect::OpenStream(channel, kCount, request, options);
    const auto message = stream->Next();
    EXPECT_TRUE(message && message->ok());
    return *std::move(stream);
  }
};

ErrorOrigin OriginOf(const absl::Status& status) {
  const std::optional<connect::ErrorInfo> info = connect::GetErrorInfo(status);
  EXPECT_TRUE(info.has_value());
  return info ? info->origin : ErrorOrigin::kProtocol;
}

TEST_P(InteropCancel, DeadlineOfTheClientEndsAUnaryCall) {
  Connect();
  pb::EchoRequest request;
  *request.mutable_behavior() = Hang();
  const auto reply = connect::Unary(
      channel_, kEcho, request, {.timeout = seconds(2), .announce_timeout = AnnounceTimeout::kNo});
  EXPECT_THAT(reply, StatusIs(StatusCode::kDeadlineExceeded));
  EXPECT_EQ(OriginOf(reply.status()), ErrorOrigin::kLocal);
  AwaitCancel();
}

TEST_P(InteropCancel, DeadlineOfTheClientEndsAStream) {
  Connect();
  auto stream =
      HangingStream(channel_, {.timeout = seconds(3), .announce_timeout = AnnounceTimeout::kNo});
  const auto last = stream.Next();
  ASSERT_TRUE(last.has_value());
  EXPECT_THAT(*last, StatusIs(StatusCode::kDeadlineExceeded));
  AwaitCancel();
}

TEST_P(InteropCancel, DeadlineOfTheServerIsItsError) {
  // As CallOptions::timeout announces it, but without a timer here.
  const connect::CallOptions options = {.headers = {{"connect-timeout-ms", "50"}}};
  pb::EchoRequest echo;
  *echo.mutable_behavior() = Hang();
  const auto reply = connect::Unary(channel_, kEcho, echo, options);
  EXPECT_THAT(reply, StatusIs(StatusCode::kDeadlineExceeded));
  EXPECT_EQ(OriginOf(reply.status()), ErrorOrigin::kServer);

  pb::CountRequest count;
  *count.mutable_behavior() = Hang();
  auto stream = connect::OpenStream(channel_, kCount, count, options);
  ASSERT_THAT(stream, IsOk());
  const auto last = stream->Next();
  ASSERT_TRUE(last.has_value());
  EXPECT_THAT(*last, StatusIs(StatusCode::kDeadlineExceeded));
  EXPECT_EQ(OriginOf(last->status()), ErrorOrigin::kServer);
}

TEST_P(InteropCancel, IsSeenByTheServer) {
  auto stream = HangingStream(channel_);
  stream.Cancel();
  const auto last = stream.Next();
  ASSERT_TRUE(last.has_value());
  EXPECT_THAT(*last, StatusIs(StatusCode::kCancelled));
  EXPECT_FALSE(stream.Next().has_value());
  AwaitCancel();
}

TEST_P(InteropCancel, IsSeenByTheServerOfATalk) {
  auto talk = connect::OpenStream(channel_, kTalk);
  pb::TalkRequest request;
  *request.mutable_behavior() = Hang();
  ASSERT_THAT(talk.Send(request), IsOk());
  const auto answer = talk.Next();
  ASSERT_TRUE(answer && answer->ok());
  talk.Cancel();
  AwaitCancel();
}

TEST_P(InteropCancel, ComesWithTheEndOfTheStreamObject) {
  { const auto stream = HangingStream(channel_); }
  AwaitCancel();
}

TEST_P(InteropCancel, ComesWithTheEndOfTheChannel) {
  std::optional<connect::Channel> other = NewChannel();
  auto stream = HangingStream(*other);
  other.reset();
  const auto last = stream.Next();
  ASSERT_TRUE(last.has_value());
  EXPECT_THAT(*last, StatusIs(StatusCode::kCancelled));
  AwaitCancel();
}

INSTANTIATE_TEST_SUITE_P(, InteropCancel, testing::Values(Transport::kTls, Transport::kH2c),
                         TransportName);

}  // namespace
}  // namespace cursorwire::test
