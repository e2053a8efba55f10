// When a unary call opens its stream: its message decides about compression and about GET, so that
// there is no head before Send().

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "cursorwire/connect/connection.h"
#include "support/errors.h"
#include "support/frame_script.h"
#include "support/scripted.h"
#include "support/status_matchers.h"
#include "wire/gzip.h"

namespace cursorwire::connect {
namespace {

using absl::StatusCode;
using test::EndStream;
using test::Frame;
using test::FrameScript;
using test::FrameType;
using test::HasOrigin;
using test::InfoOf;
using test::IsOk;
using test::IsOkAndHolds;
using test::kFlagEndStream;
using test::kStreamingOk;
using test::kUnaryOk;
using test::Scripted;
using test::StatusIs;
using test::Streaming;
using test::Unary;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

// The frames of calls, without those of the connection.
std::vector<Frame> TakeOfCalls(Scripted& peer) {
  std::vector<Frame> frames = peer.Take();
  std::erase_if(frames, [](const Frame& frame) { return frame.stream_id == 0; });
  return frames;
}

TEST(UnaryStart, OpensTheStreamWithTheMessage) {
  Scripted peer;
  const CallId call = peer.Start(Unary());
  peer.ReceivePreface();
  EXPECT_THAT(TakeOfCalls(peer), IsEmpty());
  EXPECT_EQ(peer.connection().unsent_bytes(call), 0u);
  ASSERT_THAT(peer.connection().Send(call, "ask"), IsOk());
  const std::vector<Frame> frames = TakeOfCalls(peer);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].headers.Get(":method"), "POST");
  EXPECT_EQ(frames[0].headers.Get(":path"), "/s.S/U");
  EXPECT_EQ(frames[0].headers.Get("accept-encoding"), "gzip");
  EXPECT_FALSE(frames[0].has(kFlagEndStream));
  EXPECT_EQ(frames[1].payload, "ask");
  EXPECT_TRUE(frames[1].has(kFlagEndStream));
  EXPECT_THAT(peer.connection().Send(call, "again"), StatusIs(StatusCode::kFailedPrecondition));
}

TEST(UnaryStart, TakesStreamsInTheOrderOfTheMessages) {
  Scripted peer;
  const CallId first = peer.Start(Unary());
  const CallId second = peer.Start(Unary());
  peer.ReceivePreface();
  ASSERT_THAT(peer.connection().Send(second, "2"), IsOk());
  ASSERT_THAT(peer.connection().Send(first, "1"), IsOk());
  peer.Take();
  peer.Receive(peer.server().Headers(1, kUnaryOk));
  peer.Receive(FrameScript::Data(1, "to 2", kFlagEndStream));
  peer.Receive(peer.server().Headers(3, kUnaryOk));
  peer.Receive(FrameScript::Data(3, "to 1", kFlagEndStream));
  EXPECT_THAT(peer.Events(), ElementsAre("up", "1 head 200", "1 message to 1", "1 end OK",
                                         "2 head 200", "2 message to 2", "2 end OK"));
}

TEST(UnaryStart, SendsBeforeTheConnectionIsUp) {
  Scripted peer;
  const CallId call = peer.Start(Unary());
  ASSERT_THAT(peer.connection().Send(call, "ask"), IsOk());
  EXPECT_EQ(TakeOfCalls(peer).size(), 2u);
}

TEST(UnaryStart, CompressesTheMessageAndSaysSoInTheHead) {
  Scripted peer;
  const CallId call =
      peer.Start(Unary({.send_compression = Compression::kGzip, .compress_min_bytes = 3}));
  ASSERT_THAT(peer.connection().Send(call, "ask"), IsOk());
  const std::vector<Frame> frames = TakeOfCalls(peer);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].headers.Get("content-encoding"), "gzip");
  EXPECT_THAT(wire::Gunzip(frames[1].payload, 3), IsOkAndHolds("ask"));
}

TEST(UnaryStart, EndsAGetRequestInItsHead) {
  Scripted peer;
  const CallId call = peer.Start(Unary({.http_method = HttpMethod::kGet}));
  EXPECT_THAT(TakeOfCalls(peer), IsEmpty());
  ASSERT_THAT(peer.connection().Send(call, "ask"), IsOk());
  EXPECT_THAT(peer.connection().Send(call, "again"), StatusIs(StatusCode::kFailedPrecondition));
  peer.connection().CloseSend(call);  // it is closed already
  const std::vector<Frame> frames = TakeOfCalls(peer);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].type, FrameType::kHeaders);
  EXPECT_TRUE(frames[0].has(kFlagEndStream));
  EXPECT_EQ(frames[0].headers.Get(":method"), "GET");
  EXPECT_EQ(frames[0].headers.Get(":path"),
            "/s.S/U?connect=v1&base64=1&encoding=proto&message=YXNr");
  EXPECT_FALSE(frames[0].headers.Get("content-type").has_value());
  EXPECT_FALSE(frames[0].headers.Get("connect-protocol-version").has_value());
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kUnaryOk));
  peer.Receive(FrameScript::Data(1, "answer", kFlagEndStream));
  EXPECT_THAT(peer.Events(), ElementsAre("up", "1 head 200", "1 message answer", "1 end OK"));
}

TEST(UnaryStart, MakesAPostOfAGetOverTheLongestUrl) {
  Scripted peer;
  const CallId call =
      peer.Start(Unary({.http_method = HttpMethod::kGet, .max_get_url_bytes = 100}));
  const std::string message(100, 'x');
  ASSERT_THAT(peer.connection().Send(call, message), IsOk());
  const std::vector<Frame> frames = TakeOfCalls(peer);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].headers.Get(":method"), "POST");
  EXPECT_EQ(frames[0].headers.Get(":path"), "/s.S/U");
  EXPECT_EQ(frames[1].payload, message);
}

TEST(UnaryStart, MayBeTriedAgainWithAMessageUnderTheLimit) {
  Scripted peer;
  const CallId call = peer.Start(Unary({.max_send_bytes = 3}));
  EXPECT_THAT(peer.connection().Send(call, "long"), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_THAT(TakeOfCalls(peer), IsEmpty());
  EXPECT_THAT(peer.connection().Send(call, "ask"), IsOk());
  EXPECT_EQ(TakeOfCalls(peer).size(), 2u);
}

TEST(UnaryStart, EndsWithTheReasonThatItsHeadersGive) {
  Scripted peer;
  const CallId call = peer.Start(Unary({.headers = {{"accept-encoding", "br"}}}));
  EXPECT_THAT(peer.Events(), IsEmpty());
  EXPECT_THAT(peer.connection().Send(call, "ask"), IsOk());
  EXPECT_THAT(peer.EndOf(call),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("accept-encoding")));
  EXPECT_THAT(TakeOfCalls(peer), IsEmpty());
}

// What ends a call that was started and has not sent its message.
TEST(UnaryStart, EndsOnceAndSendsNothingWhenItsEndComesBeforeItsMessage) {
  const struct {
    const char* name;
    void (*end)(Scripted&, CallId);
    StatusCode code;
  } kCases[] = {
      {"Cancel", [](Scripted& peer, CallId call) { peer.connection().Cancel(call); },
       StatusCode::kCancelled},
      {"CloseSend", [](Scripted& peer, CallId call) { peer.connection().CloseSend(call); },
       StatusCode::kFailedPrecondition},
      {"timeout", [](Scripted& peer, CallId) { peer.Advance(2s); }, StatusCode::kDeadlineExceeded},
      {"loss of the connection",
       [](Scripted& peer, CallId) { peer.connection().ReceiveEof(peer.now()); },
       StatusCode::kUnavailable},
      {"failure of the transport",
       [](Scripted& peer, CallId) {
         peer.connection().Fail(absl::UnavailableError("lost"), peer.now());
       },
       StatusCode::kUnavailable},
      {"Close", [](Scripted& peer, CallId) { peer.connection().Close(); }, StatusCode::kCancelled},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    Scripted peer;
    const CallId call = peer.Start(Unary({.timeout = 2s}));
    peer.ReceivePreface();
    EXPECT_THAT(peer.Events(), ElementsAre("up"));
    c.end(peer, call);
    peer.connection().CloseSend(call);  // changes nothing
    EXPECT_THAT(peer.connection().Send(call, "late"), StatusIs(StatusCode::kFailedPrecondition));
    EXPECT_THAT(peer.EndOf(call), StatusIs(c.code));
    EXPECT_EQ(peer.connection().active_calls(), 0u);
    EXPECT_THAT(peer.connection().Send(call, "late"), StatusIs(StatusCode::kFailedPrecondition));
    peer.connection().CloseSend(call);
    peer.connection().Cancel(call);
    peer.Advance(10s);
    for (const std::string& event : peer.Events()) EXPECT_FALSE(event.starts_with("1 ")) << event;
    EXPECT_THAT(TakeOfCalls(peer), IsEmpty());
  }
}

TEST(UnaryStart, CountsSilenceFromTheStartOfTheCall) {
  Scripted peer;
  const CallId call = peer.Start(Unary({.idle_timeout = 1s}));
  peer.ReceivePreface();
  peer.Advance(999ms);
  EXPECT_THAT(peer.Events(), ElementsAre("up"));
  peer.Advance(1ms);
  EXPECT_THAT(peer.EndOf(call), StatusIs(StatusCode::kDeadlineExceeded));
}

TEST(UnaryStart, BehindAGoAwayIsRefusedAndSafeToRepeat) {
  Scripted peer;
  const CallId open = peer.Start(Streaming());
  const CallId call = peer.Start(Unary());
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(FrameScript::GoAway(1, 0));
  const absl::Status status = peer.EndOf(call);
  EXPECT_THAT(status, StatusIs(StatusCode::kUnavailable, HasSubstr("GOAWAY")));
  EXPECT_THAT(status, HasOrigin(ErrorOrigin::kTransport));
  EXPECT_TRUE(InfoOf(status).replay_safe);
  EXPECT_THAT(peer.connection().Send(call, "ask"), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_THAT(TakeOfCalls(peer), IsEmpty());
  // The other call goes on.
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  peer.Receive(FrameScript::Data(1, EndStream(), kFlagEndStream));
  EXPECT_THAT(peer.EndOf(open), IsOk());
}

// The server cannot have acted on what never began, whatever else was sent to it.
TEST(UnaryStart, IsSafeToRepeatWhenTheConnectionIsLostBeforeItsMessage) {
  Scripted peer;
  const CallId sent = peer.Start(Unary());
  const CallId unsent = peer.Start(Unary());
  peer.ReceivePreface();
  ASSERT_THAT(peer.connection().Send(sent, "ask"), IsOk());
  peer.Take();
  peer.connection().ReceiveEof(peer.now());
  std::vector<bool> replay_safe(3);
  while (auto event = peer.connection().PollEvent()) {
    if (const auto* end = std::get_if<CallEnd>(&event->what)) {
      EXPECT_THAT(end->status, StatusIs(StatusCode::kUnavailable));
      replay_safe[event->call] = InfoOf(end->status).replay_safe;
    }
  }
  EXPECT_FALSE(replay_safe[sent]);
  EXPECT_TRUE(replay_safe[unsent]);
}

TEST(UnaryStart, OnAConnectionThatIsDownEndsAtOnce) {
  Scripted peer;
  peer.connection().ReceiveEof(peer.now());
  const CallId call = peer.Start(Unary());
  EXPECT_THAT(peer.connection().Send(call, "ask"), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_THAT(peer.EndOf(call), StatusIs(StatusCode::kUnavailable, HasSubstr("no connection")));
  EXPECT_EQ(peer.connection().active_calls(), 0u);
}

}  // namespace
}  // namespace cursorwire::connect
