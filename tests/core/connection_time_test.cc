#include "cursorwire/connect/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "cursorwire/connect/error_info.h"
#include "support/frame_script.h"
#include "support/pair.h"
#include "support/scripted.h"

namespace cursorwire::connect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;
using test::EndStream;
using test::Envelope;
using test::Frame;
using test::FrameScript;
using test::FrameType;
using test::InfoOf;
using test::kFlagEndStream;
using test::kStreamingOk;
using test::Scripted;
using test::Streaming;

TEST(Connection, ConnectDeadlineEndsAllCallsAndIsSafeToReplay) {
  Scripted peer({.http2 = {.connect_timeout = 3s}});
  const CallId call = peer.Start(Streaming());
  peer.Advance(2999ms);
  EXPECT_THAT(peer.Events(), IsEmpty());
  ASSERT_EQ(peer.connection().NextDeadline(), peer.now() + 1ms);
  peer.Advance(1ms);
  const absl::Status status = peer.EndOf(call);
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("localhost:1234"));
  EXPECT_TRUE(InfoOf(status).replay_safe);
}

CallRequest WithLastMessage(const CallOptions& options) {
  CallRequest request = Streaming(options);
  request.message_at_deadline = "bye";
  return request;
}

// The user is told at once; the server has a second to act on the message.
TEST(Connection, SendsALastMessageAtADeadline) {
  const CallOptions both[] = {{.timeout = 200ms}, {.idle_timeout = 200ms}};
  for (const CallOptions& options : both) {
    SCOPED_TRACE(options.timeout.count());
    Scripted peer({.http2 = {.unused_timeout = 0ms}});
    const CallId call = peer.Start(WithLastMessage(options));
    peer.Take();
    peer.ReceivePreface();
    peer.Advance(200ms);
    const std::vector<Frame> data = peer.Take(FrameType::kData);
    ASSERT_EQ(data.size(), 1u);
    EXPECT_EQ(data[0].payload, Envelope("bye"));
    EXPECT_EQ(data[0].flags, kFlagEndStream);
    EXPECT_EQ(peer.EndOf(call).code(), absl::StatusCode::kDeadlineExceeded);
    EXPECT_EQ(peer.connection().active_calls(), 0u);
    peer.Receive(peer.server().Headers(1, test::kStreamingOk));
    peer.Receive(FrameScript::Data(1, Envelope("late")));
    peer.Advance(999ms);
    EXPECT_THAT(peer.Take(FrameType::kRstStream), IsEmpty());
    EXPECT_TRUE(peer.connection().has_last_messages());
    peer.Advance(1ms);
    EXPECT_FALSE(peer.connection().has_last_messages());
    ASSERT_THAT(peer.Take(FrameType::kRstStream), ::testing::SizeIs(1));
    EXPECT_EQ(peer.connection().NextDeadline(), std::nullopt);
  }
}

TEST(Connection, SendsALastMessageThoughTheCallIsCancelledRightBehindItsDeadline) {
  Scripted peer;
  const CallId call = peer.Start(WithLastMessage({.timeout = 200ms}));
  peer.Take();
  peer.ReceivePreface();
  peer.Advance(200ms);
  peer.connection().Cancel(call);
  EXPECT_EQ(peer.EndOf(call).code(), absl::StatusCode::kCancelled);
  EXPECT_TRUE(peer.connection().has_last_messages());
  EXPECT_THAT(peer.Take(FrameType::kData), ::testing::SizeIs(1));
}

TEST(Connection, IsNotIdleWhileTheServerMayActOnALastMessage) {
  Scripted peer({.http2 = {.unused_timeout = 100ms}});
  const CallId call = peer.Start(WithLastMessage({.timeout = 200ms}));
  peer.Take();
  peer.ReceivePreface();
  peer.Advance(200ms);
  EXPECT_EQ(peer.EndOf(call).code(), absl::StatusCode::kDeadlineExceeded);
  peer.Take();
  peer.Advance(999ms);
  EXPECT_TRUE(peer.connection().accepts_calls());
  peer.Advance(1ms);
  peer.Advance(99ms);
  EXPECT_TRUE(peer.connection().accepts_calls());
  peer.Advance(1ms);
  EXPECT_FALSE(peer.connection().accepts_calls());
}

TEST(Connection, SendsNoLastMessageWhereItCannotHelp) {
  struct Case {
    const char* name;
    std::function<void(Scripted&, CallId)> before;
    size_t resets;
  };
  const Case cases[] = {
      {"half-closed", [](Scripted& peer, CallId call) { peer.connection().CloseSend(call); }, 1},
      {"no window",
       [](Scripted& peer, CallId call) {
         ASSERT_TRUE(peer.connection().Send(call, std::string(70'000, 'x')).ok());
       },
       1},
      {"cancelled", [](Scripted& peer, CallId call) { peer.connection().Cancel(call); }, 1},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Scripted peer;
    const CallId call = peer.Start(WithLastMessage({.timeout = 200ms}));
    peer.Take();
    peer.ReceivePreface();
    c.before(peer, call);
    peer.Advance(200ms);
    size_t resets = 0;
    for (const Frame& frame : peer.Take()) {
      EXPECT_NE(frame.payload, Envelope("bye"));
      resets += frame.type == FrameType::kRstStream ? 1 : 0;
    }
    EXPECT_EQ(resets, c.resets);
  }
}

// Its reset would come too late to matter, and must not be of another stream.
TEST(Connection, ForgetsALastMessageWithItsStreamAndConnection) {
  for (const bool lost : {false, true}) {
    SCOPED_TRACE(lost);
    Scripted peer;
    const CallId call = peer.Start(WithLastMessage({.timeout = 200ms}));
    peer.Take();
    peer.ReceivePreface();
    peer.Receive(peer.server().Headers(1, test::kStreamingOk));
    peer.Advance(200ms);
    peer.Take();
    EXPECT_EQ(peer.EndOf(call).code(), absl::StatusCode::kDeadlineExceeded);
    if (lost) {
      peer.connection().ReceiveEof(peer.now());
    } else {
      peer.Receive(FrameScript::Data(1, EndStream(), kFlagEndStream));
    }
    EXPECT_FALSE(peer.connection().has_last_messages());
    peer.Advance(2s);
    EXPECT_THAT(peer.Take(FrameType::kRstStream), IsEmpty());
  }
}

TEST(Connection, DeadlineResetsTheStreamWithCancel) {
  Scripted peer;
  const CallId call = peer.Start(Streaming({.timeout = 200ms}));
  peer.Take();
  peer.ReceivePreface();
  peer.Advance(199ms);
  EXPECT_THAT(peer.Events(), ElementsAre("up"));
  peer.Advance(1ms);
  const absl::Status status = peer.EndOf(call);
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_EQ(InfoOf(status).origin, ErrorOrigin::kLocal);
  const std::vector<Frame> resets = peer.Take(FrameType::kRstStream);
  ASSERT_EQ(resets.size(), 1u);
  EXPECT_EQ(resets[0].error_code(), h2::kCancel);
}

TEST(Connection, IdleTimeoutCountsFromTheLastByteOfTheCall) {
  Scripted peer({.http2 = {.connect_timeout = 0ms}});
  const CallId call = peer.Start(Streaming({.idle_timeout = 1s}));
  peer.Take();
  peer.ReceivePreface();
  peer.Advance(900ms);
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  peer.Advance(900ms);
  peer.Receive(FrameScript::Data(1, Envelope("x").substr(0, 3)));  // bytes count, not messages
  peer.Advance(900ms);
  EXPECT_THAT(peer.Events(), ElementsAre("up", "1 head 200"));
  peer.Advance(100ms);
  EXPECT_EQ(peer.EndOf(call).code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(Connection, IdleTimeoutDoesNotRunWhileTheUserKeepsTheWindowClosed) {
  Scripted peer({.credit_return = CreditReturn::kManual, .http2 = {.stream_window_bytes = 1000}});
  const CallId call = peer.Start(Streaming({.idle_timeout = 1s}));
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  peer.Receive(FrameScript::Data(1, Envelope(std::string(800, 'x'))));
  peer.Advance(5s);
  ASSERT_EQ(peer.Events().size(), 3u);  // up, head, message: and no end
  peer.connection().ReleaseCredit(call, 805);
  peer.Advance(1s);
  EXPECT_EQ(peer.EndOf(call).code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(Connection, CountsTheTimeoutOfACallFromItsStart) {
  Scripted peer({.http2 = {.connect_timeout = 0ms, .unused_timeout = 0ms}});
  peer.Take();
  peer.ReceivePreface();
  peer.Events();
  EXPECT_FALSE(peer.connection().NextDeadline().has_value());
  // A minute in which nothing called the connection.
  const TimePoint later = peer.now() + 1min;
  const CallId call = peer.connection().StartCall(Streaming({.timeout = 5s}), later);
  EXPECT_EQ(peer.connection().NextDeadline(), later + 5s);
  peer.connection().OnDeadline(later + 4s);
  EXPECT_THAT(peer.Events(), IsEmpty());
  peer.connection().OnDeadline(later + 5s);
  EXPECT_EQ(peer.EndOf(call).code(), absl::StatusCode::kDeadlineExceeded);
}

TEST(Connection, TakesTheLongestTimeoutForNone) {
  Scripted peer({.http2 = {.connect_timeout = std::chrono::milliseconds::max()}});
  peer.Start(Streaming({.timeout = std::chrono::milliseconds::max(),
                        .idle_timeout = std::chrono::milliseconds::max()}));
  peer.Advance(24h);
  EXPECT_THAT(peer.Events(), IsEmpty());
}

TEST(Connection, ACallThatIsStartedAgainHasTheRestOfItsTime) {
  Scripted peer({.http2 = {.connect_timeout = 0ms}});
  const CallId call = peer.connection().StartCall(Streaming({.timeout = 5s}), peer.now(), 2s);
  const CallId late = peer.connection().StartCall(Streaming({.timeout = 5s}), peer.now(), 6s);
  EXPECT_EQ(peer.Take(FrameType::kHeaders).at(0).headers.Get("connect-timeout-ms"), "3000");
  peer.Advance(0s);
  EXPECT_EQ(peer.EndOf(late).code(), absl::StatusCode::kDeadlineExceeded);
  peer.Advance(2999ms);
  EXPECT_THAT(peer.Events(), IsEmpty());
  peer.Advance(1ms);
  const absl::Status status = peer.EndOf(call);
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("5000 ms"));
}

TEST(Connection, PingsASilentServerAndGivesADeadOneUp) {
  Scripted peer;
  const CallId call = peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.Events();
  peer.Advance(29'999ms);
  EXPECT_THAT(peer.Take(FrameType::kPing), IsEmpty());
  peer.Advance(1ms);
  EXPECT_EQ(peer.Take(FrameType::kPing).size(), 1u);
  peer.Advance(14'999ms);
  EXPECT_THAT(peer.Events(), IsEmpty());
  EXPECT_THAT(peer.Take(FrameType::kPing), IsEmpty());
  peer.Advance(1ms);
  const absl::Status status = peer.EndOf(call);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("nothing came from it for 15000 ms"));
  EXPECT_EQ(InfoOf(status).origin, ErrorOrigin::kTransport);
  EXPECT_FALSE(InfoOf(status).replay_safe);
  EXPECT_FALSE(peer.connection().accepts_calls());
  EXPECT_FALSE(peer.connection().NextDeadline().has_value());
}

TEST(Connection, AnyByteOfTheServerIsASignOfLife) {
  struct Case {
    const char* name;
    std::string bytes;
  };
  const Case cases[] = {
      {"acknowledgement", FrameScript::Ping(std::string(8, '\0'), test::kFlagAck)},
      {"window update", FrameScript::WindowUpdate(0, 1)},
      {"one byte of a frame", std::string(1, '\0')},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Scripted peer;
    peer.Start(Streaming());
    peer.Take();
    peer.ReceivePreface();
    peer.Events();
    peer.Advance(30s);
    EXPECT_EQ(peer.Take(FrameType::kPing).size(), 1u);
    peer.Advance(14s);
    peer.Receive(c.bytes);
    peer.Advance(29s);
    EXPECT_THAT(peer.Events(), IsEmpty());
    EXPECT_THAT(peer.Take(FrameType::kPing), IsEmpty());
    peer.Advance(1s);
    EXPECT_EQ(peer.Take(FrameType::kPing).size(), 1u);
  }
}

TEST(Connection, AsksForASignOfLifeDuringCallsOnlyUnlessToldOtherwise) {
  for (const KeepaliveWhen when : {KeepaliveWhen::kDuringCalls, KeepaliveWhen::kAlways}) {
    Scripted peer({.http2 = {.keepalive = {.when = when}}});
    const CallId call = peer.Start(Streaming());
    peer.Take();
    peer.ReceivePreface();
    peer.connection().Cancel(call);
    peer.Events();
    peer.Take();
    peer.Advance(10min);
    const bool always = when == KeepaliveWhen::kAlways;
    EXPECT_EQ(peer.Take(FrameType::kPing).size(), always ? 1u : 0u);
    // Silence without a call does not count against the next one.
    if (!always) {
      peer.Start(Streaming());
      peer.Advance(29s);
      EXPECT_THAT(peer.Take(FrameType::kPing), IsEmpty());
    }
  }
}

TEST(Connection, SaysGoodByeWhenItHadNoCallsForTheIdleTimeout) {
  Scripted peer({.http2 = {.unused_timeout = 5min}});
  peer.Take();
  peer.ReceivePreface();
  peer.Advance(4min);
  const CallId call = peer.Start(Streaming());
  peer.Advance(10min);  // a call, but for its silence
  peer.Receive(FrameScript::Ping(std::string(8, '\0'), test::kFlagAck));
  peer.connection().Cancel(call);
  EXPECT_THAT(peer.Events(), ElementsAre("up", "1 end CANCELLED"));
  peer.Take();
  peer.Advance(5min - 1ms);
  EXPECT_TRUE(peer.connection().accepts_calls());
  EXPECT_THAT(peer.Take(), IsEmpty());
  peer.Advance(1ms);
  EXPECT_FALSE(peer.connection().accepts_calls());
  EXPECT_THAT(peer.Events(), ElementsAre("down"));
  const std::vector<Frame> goaway = peer.Take(FrameType::kGoAway);
  ASSERT_EQ(goaway.size(), 1u);
  EXPECT_EQ(goaway[0].error_code(), h2::kNoError);
  EXPECT_FALSE(peer.connection().NextDeadline().has_value());
}

}  // namespace
}  // namespace cursorwire::connect
