#include "cursorwire/connect/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cursorwire/connect/error_info.h"
#include "support/frame_script.h"
#include "support/heap_bytes.h"
#include "support/pair.h"
#include "support/scripted.h"

namespace cursorwire::connect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;
using test::EncodeFrame;
using test::EndStream;
using test::Envelope;
using test::Frame;
using test::FrameScript;
using test::FrameType;
using test::InfoOf;
using test::kFlagEndStream;
using test::kStreamingOk;
using test::kUnaryOk;
using test::Scripted;
using test::Streaming;
using test::Unary;

TEST(Connection, SendsTheHeadersOfACallAndItsMessages) {
  Scripted peer({.http2 = {.user_agent = "test/1"}});
  const CallId call = peer.Start(Streaming({.headers = {{"X-Mine", "1"}}, .timeout = 1500ms}));
  ASSERT_TRUE(peer.connection().Send(call, "hello").ok());
  peer.connection().CloseSend(call);
  const std::vector<Frame> headers = peer.Take();
  ASSERT_EQ(headers.size(), 4u);  // SETTINGS, WINDOW_UPDATE, HEADERS, DATA
  const std::vector<Header> fields(headers[2].headers.begin(), headers[2].headers.end());
  EXPECT_THAT(fields, ElementsAre(Header{":method", "POST"}, Header{":scheme", "http"},
                                  Header{":authority", "localhost:1234"}, Header{":path", "/s.S/M"},
                                  Header{"content-type", "application/connect+proto"},
                                  Header{"connect-protocol-version", "1"},
                                  Header{"connect-accept-encoding", "gzip"},
                                  Header{"connect-timeout-ms", "1500"},
                                  Header{"user-agent", "test/1"}, Header{"x-mine", "1"}));
  EXPECT_EQ(headers[3].payload, Envelope("hello"));
  EXPECT_TRUE(headers[3].has(kFlagEndStream));
  EXPECT_EQ(peer.connection().Send(call, "late").code(), absl::StatusCode::kFailedPrecondition);
}

TEST(Connection, HandsOutHeadMessagesAndEnd) {
  Scripted peer;
  const CallId call = peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  peer.Receive(FrameScript::Data(1, Envelope("a") + Envelope("b")));
  peer.Receive(FrameScript::Data(1, EndStream(), kFlagEndStream));
  EXPECT_THAT(peer.Events(),
              ElementsAre("up", "1 head 200", "1 message a", "1 message b", "1 end OK"));
  EXPECT_EQ(peer.connection().active_calls(), 0u);
  EXPECT_EQ(call, 1u);
  // Our own half-close, and no reset.
  EXPECT_THAT(peer.Take(FrameType::kRstStream), IsEmpty());
}

TEST(Connection, EndsAUnaryCall) {
  Scripted peer;
  const CallId call = peer.Start({.path = "/s.S/U", .kind = CallKind::kUnary, .options = {}});
  ASSERT_TRUE(peer.connection().Send(call, "ask").ok());
  const std::vector<Frame> data = peer.Take(FrameType::kData);
  ASSERT_EQ(data.size(), 1u);
  EXPECT_EQ(data[0].payload, "ask");
  EXPECT_TRUE(data[0].has(kFlagEndStream));
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kUnaryOk));
  peer.Receive(FrameScript::Data(1, "answer", kFlagEndStream));
  EXPECT_THAT(peer.Events(), ElementsAre("up", "1 head 200", "1 message answer", "1 end OK"));
}

TEST(Connection, RawCallsPassBytesAndAnyStatus) {
  Scripted peer;
  const CallId call = peer.Start(
      {.path = "/raw", .kind = CallKind::kRaw, .options = {.headers = {{"te", "trailers"}}}});
  ASSERT_TRUE(peer.connection().Send(call, "\x01\x02").ok());
  EXPECT_EQ(peer.Take(FrameType::kData).at(0).payload, "\x01\x02");
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, {{":status", "503"}, {"content-type", "text/plain"}}));
  peer.Receive(FrameScript::Data(1, "no"));
  EXPECT_THAT(peer.Events(), ElementsAre("up", "1 head 503", "1 message no"));
  peer.Receive(FrameScript::Data(1, "", kFlagEndStream));
  EXPECT_THAT(peer.Events(), ElementsAre("1 end OK"));
}

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

TEST(Connection, CancelResetsAndEnds) {
  Scripted peer;
  const CallId call = peer.Start(Streaming());
  peer.Take();
  peer.connection().Cancel(call);
  peer.connection().Cancel(call);
  EXPECT_EQ(peer.EndOf(call).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(peer.Take(FrameType::kRstStream).size(), 1u);
  peer.connection().Cancel(call);  // of an ended call: nothing
  EXPECT_THAT(peer.Events(), IsEmpty());
}

TEST(Connection, CancelBeforeTheRequestWasSentSendsNothingOfIt) {
  Scripted peer;
  const CallId call = peer.Start(Streaming());
  ASSERT_TRUE(peer.connection().Send(call, "never").ok());
  peer.connection().Cancel(call);
  EXPECT_EQ(peer.EndOf(call).code(), absl::StatusCode::kCancelled);
  for (const Frame& frame : peer.Take()) EXPECT_EQ(frame.stream_id, 0) << "of an unsent call";
}

TEST(Connection, AMissingEndStreamIsAnError) {
  Scripted peer;
  const CallId call = peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  peer.Receive(FrameScript::Data(1, Envelope("a"), kFlagEndStream));
  const absl::Status status = peer.EndOf(call);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(InfoOf(status).origin, ErrorOrigin::kTransport);
}

// The server's END_STREAM is waited for, since bytes may follow that must not; but not for ever.
TEST(Connection, WaitsAMomentForTheStreamToEndBehindTheEndStreamEnvelope) {
  Scripted peer;
  const CallId call = peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  peer.Receive(FrameScript::Data(1, EndStream()));
  EXPECT_THAT(peer.Events(), ElementsAre("up", "1 head 200"));
  // Our side is closed at once: the server may wait for that.
  const std::vector<Frame> data = peer.Take(FrameType::kData);
  ASSERT_EQ(data.size(), 1u);
  EXPECT_TRUE(data[0].has(kFlagEndStream));
  peer.Advance(1s);
  EXPECT_TRUE(peer.EndOf(call).ok());
  EXPECT_EQ(peer.Take(FrameType::kRstStream).size(), 1u);
}

TEST(Connection, BytesBehindTheEndStreamEnvelopeAreAnError) {
  Scripted peer;
  const CallId call = peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  peer.Receive(FrameScript::Data(1, EndStream()));
  EXPECT_THAT(peer.Events(), ElementsAre("up", "1 head 200"));
  peer.Receive(FrameScript::Data(1, "more", kFlagEndStream));
  const absl::Status status = peer.EndOf(call);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(InfoOf(status).origin, ErrorOrigin::kProtocol);
}

TEST(Connection, AResetBehindTheEndStreamEnvelopeChangesNothing) {
  Scripted peer;
  const CallId call = peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  peer.Receive(FrameScript::Data(1, EndStream()) + FrameScript::RstStream(1, h2::kCancel));
  EXPECT_TRUE(peer.EndOf(call).ok());
}

TEST(Connection, MapsAResetOfTheServer) {
  struct Case {
    uint32_t http2_code;
    absl::StatusCode code;
    bool replay_safe;
  };
  constexpr Case kCases[] = {
      {h2::kRefusedStream, absl::StatusCode::kUnavailable, true},
      {h2::kCancel, absl::StatusCode::kCancelled, false},
      {test::kEnhanceYourCalm, absl::StatusCode::kResourceExhausted, false},
      {test::kInadequateSecurity, absl::StatusCode::kPermissionDenied, false},
      {test::kInternalErrorCode, absl::StatusCode::kInternal, false},
      {0xabcd, absl::StatusCode::kInternal, false},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.http2_code);
    Scripted peer;
    const CallId call = peer.Start(Streaming());
    peer.Take();
    peer.ReceivePreface();
    peer.Receive(FrameScript::RstStream(1, c.http2_code));
    const absl::Status status = peer.EndOf(call);
    EXPECT_EQ(status.code(), c.code);
    EXPECT_EQ(InfoOf(status).http2_code, c.http2_code);
    EXPECT_EQ(InfoOf(status).replay_safe, c.replay_safe);
    EXPECT_EQ(InfoOf(status).origin, ErrorOrigin::kTransport);
  }
}

TEST(Connection, GoAwayLetsEarlierCallsFinishAndRefusesLaterOnes) {
  Scripted peer;
  const CallId first = peer.Start(Streaming());
  const CallId second = peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(FrameScript::GoAway(1, h2::kNoError, "bye"));
  EXPECT_FALSE(peer.connection().accepts_calls());
  const absl::Status refused = peer.EndOf(second);
  EXPECT_EQ(refused.code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(InfoOf(refused).replay_safe);
  const CallId third = peer.Start(Streaming());
  EXPECT_TRUE(InfoOf(peer.EndOf(third)).replay_safe);
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  peer.Receive(FrameScript::Data(1, Envelope("still") + EndStream(), kFlagEndStream));
  EXPECT_TRUE(peer.EndOf(first).ok());
}

TEST(Connection, EndOfTheTransportEndsEveryCallOnce) {
  Scripted peer;
  peer.Start(Streaming());
  peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.connection().ReceiveEof(peer.now());
  peer.connection().ReceiveEof(peer.now());
  peer.connection().Fail(absl::UnavailableError("again"), peer.now());
  EXPECT_THAT(peer.Events(), ::testing::UnorderedElementsAre("up", "down", "1 end UNAVAILABLE",
                                                             "2 end UNAVAILABLE"));
  const CallId late = peer.Start(Streaming());
  EXPECT_EQ(peer.EndOf(late).code(), absl::StatusCode::kUnavailable);
}

TEST(Connection, SaysThatAServerAnswersHttp11) {
  Scripted peer;
  const CallId call = peer.Start(Streaming());
  peer.Take();
  peer.Receive("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
  const absl::Status status = peer.EndOf(call);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("HTTP/1.1"));
}

TEST(Connection, ABrokenFrameIsTheServersFault) {
  Scripted peer;
  const CallId call = peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(EncodeFrame(FrameType::kData, 0, 0, "DATA on stream 0"));
  const absl::Status status = peer.EndOf(call);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(InfoOf(status).origin, ErrorOrigin::kProtocol);
  EXPECT_EQ(peer.Take(FrameType::kGoAway).size(), 1u);
}

TEST(Connection, AResponseWithoutStatusBreaksHttp2) {
  Scripted peer;
  const CallId call = peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, {{"content-type", "application/connect+proto"}}));
  peer.Take();  // the reset goes out
  const absl::Status status = peer.EndOf(call);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(InfoOf(status).origin, ErrorOrigin::kProtocol);
}

// What is incomplete cannot be completed without credit; what is complete waits for the user.
TEST(Connection, CreditOfAnIncompleteMessageGoesBackAsItArrives) {
  Scripted peer({.credit_return = CreditReturn::kManual, .http2 = {.stream_window_bytes = 10'000}});
  const CallId call = peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  const std::string envelope = Envelope(std::string(50'000, 'x'));
  size_t window = 10'000;
  size_t sent = 0;
  while (sent < envelope.size()) {
    ASSERT_GT(window, 0u) << "the server is stuck at byte " << sent;
    const std::string piece = envelope.substr(sent, std::min<size_t>(window, 4000));
    peer.Receive(FrameScript::Data(1, piece));
    sent += piece.size();
    window -= piece.size();
    for (const Frame& frame : peer.Take(FrameType::kWindowUpdate)) {
      if (frame.stream_id == 1) window += frame.first_word();
    }
  }
  // The last piece is held until the message is done with.
  std::optional<MessageView> message;
  while (auto event = peer.connection().PollEvent()) {
    if (auto* view = std::get_if<MessageView>(&event->what)) {
      EXPECT_EQ(view->bytes.size(), 50'000u);
      message = *view;
    }
  }
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->credit, envelope.size());
  peer.connection().ReleaseCredit(call, message->credit);
}

// The credit that went back early for a large message is not given a second time for the next one.
TEST(Connection, UnreadMessagesNeverExceedOneMessageAndTheWindow) {
  Scripted peer({.credit_return = CreditReturn::kManual, .http2 = {.stream_window_bytes = 10'000}});
  const CallId call = peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  const std::string envelope = Envelope(std::string(49'995, 'x'));
  size_t window = 10'000;
  size_t sent = 0;
  const auto send_all = [&](size_t max_bytes) {
    while (window > 0 && sent < max_bytes) {
      const size_t at = sent % envelope.size();
      const std::string piece = envelope.substr(at, std::min<size_t>(window, 3000));
      peer.Receive(FrameScript::Data(1, piece));
      sent += piece.size();
      window -= piece.size();
      for (const Frame& frame : peer.Take(FrameType::kWindowUpdate)) {
        if (frame.stream_id == 1) window += frame.first_word();
      }
    }
  };
  send_all(1'000'000);
  EXPECT_GE(sent, envelope.size());
  EXPECT_LE(sent, envelope.size() + 10'000);
  peer.Events();
  // The user is done with the first, and the second comes.
  peer.connection().ReleaseCredit(call, envelope.size());
  for (const Frame& frame : peer.Take(FrameType::kWindowUpdate)) {
    if (frame.stream_id == 1) window += frame.first_word();
  }
  send_all(2 * envelope.size());
  EXPECT_GE(sent, 2 * envelope.size());
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

TEST(Connection, RefusesAWindowThatHttp2DoesNotAllow) {
  for (const uint32_t window : {0u, 0x80000000u}) {
    Scripted peer({.http2 = {.stream_window_bytes = window}});
    const CallId call = peer.Start(Streaming());
    EXPECT_EQ(peer.EndOf(call).code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(Connection, CreditOfCompleteMessagesWaitsForTheUserAndStopsNoOtherCall) {
  Scripted peer({.credit_return = CreditReturn::kManual, .http2 = {.stream_window_bytes = 10'000}});
  const CallId slow = peer.Start(Streaming());
  peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  peer.Receive(peer.server().Headers(3, kStreamingOk));
  for (int i = 0; i < 10; ++i) {
    peer.Receive(FrameScript::Data(1, Envelope(std::string(995, 'x'))));  // fills the window
  }
  peer.Events();
  for (const Frame& frame : peer.Take(FrameType::kWindowUpdate)) {
    EXPECT_NE(frame.stream_id, 1) << "credit that the user did not release";
  }
  // The other stream goes on.
  peer.Receive(FrameScript::Data(3, Envelope("fine")));
  EXPECT_THAT(peer.Events(), ElementsAre("2 message fine"));
  peer.connection().ReleaseCredit(slow, 10'000);
  const std::vector<Frame> updates = peer.Take(FrameType::kWindowUpdate);
  ASSERT_EQ(updates.size(), 1u);
  EXPECT_EQ(updates[0].stream_id, 1);
  EXPECT_EQ(updates[0].first_word(), 10'000u);
  // No more than came in: a server must not be allowed more than the window.
  peer.connection().ReleaseCredit(slow, 10'000);
  EXPECT_THAT(peer.Take(FrameType::kWindowUpdate), IsEmpty());
}

TEST(Connection, AMessageOverTheLimitIsRefusedOnItsPrefix) {
  Scripted peer;
  const CallId call = peer.Start(Streaming({.max_receive_bytes = 100}));
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  peer.Receive(FrameScript::Data(1, Envelope(std::string(101, 'x')).substr(0, 5)));
  EXPECT_EQ(peer.EndOf(call).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(peer.Take(FrameType::kRstStream).size(), 1u);
}

TEST(Connection, TellsWhenUnsentBytesHaveGoneOut) {
  Scripted peer;
  const CallId call = peer.Start(Streaming());
  ASSERT_TRUE(peer.connection().Send(call, std::string(kSendHighWater + 1, 'x')).ok());
  peer.ReceivePreface();
  size_t sent = 0;
  for (const Frame& frame : peer.Take(FrameType::kData)) sent += frame.payload.size();
  EXPECT_EQ(sent, test::kInitialWindow);
  EXPECT_GT(peer.connection().unsent_bytes(call), kSendLowWater);
  EXPECT_THAT(peer.Events(), ElementsAre("up"));
  peer.Receive(FrameScript::WindowUpdate(0, 1 << 22) + FrameScript::WindowUpdate(1, 1 << 22));
  peer.Take();
  EXPECT_EQ(peer.connection().unsent_bytes(call), 0u);
  EXPECT_THAT(peer.Events(), ElementsAre("1 writable"));
}

TEST(Connection, RefusesRequestHeadersThatHttpDoesNotAllow) {
  const Header kBad[] = {{"x-line", "a\r\nb: c"},
                         {"x-nul", std::string("a\0b", 3)},
                         {"x space", "a"},
                         {"x:colon", "a"},
                         {"", "a"},
                         {":path", "/other"}};
  for (const Header& header : kBad) {
    SCOPED_TRACE(header.name);
    Scripted peer;
    const CallId call = peer.Start(Streaming({.headers = {{header.name, header.value}}}));
    const absl::Status status = peer.EndOf(call);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(InfoOf(status).origin, ErrorOrigin::kLocal);
    for (const Frame& frame : peer.Take()) EXPECT_EQ(frame.stream_id, 0);
  }
  Scripted peer;
  const CallId call = peer.Start({.path = "/with space"});
  EXPECT_EQ(peer.EndOf(call).code(), absl::StatusCode::kInvalidArgument);
}

TEST(Connection, RefusesRequestHeadersThatAreTooLarge) {
  Scripted peer;
  const CallId call = peer.Start(Streaming({.headers = {{"x", std::string(70'000, 'x')}}}));
  const absl::Status status = peer.EndOf(call);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(InfoOf(status).origin, ErrorOrigin::kLocal);
}

TEST(Connection, TellsTheCodeOfAGoAwayBeforeTheEnd) {
  Scripted peer;
  const CallId call = peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(FrameScript::GoAway(1, test::kEnhanceYourCalm));
  peer.connection().ReceiveEof(peer.now());
  const absl::Status status = peer.EndOf(call);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(InfoOf(status).http2_code, test::kEnhanceYourCalm);
}

TEST(Connection, CloseBeforeTheHandshakeIsACancellation) {
  Connection connection(
      {.authority = "localhost", .tls = {.ca_pem = test::TestIdentity::Get().ca_pem}},
      test::StartOfTime());
  connection.Close();
  while (auto event = connection.PollEvent()) {
    if (auto* down = std::get_if<ConnectionDown>(&event->what)) {
      EXPECT_EQ(down->status.code(), absl::StatusCode::kCancelled) << down->status;
    }
  }
  EXPECT_TRUE(connection.PendingOutput().size() < 2000) << "no more than the client's hello";
}

TEST(Connection, CloseEndsCallsAndSaysGoAway) {
  Scripted peer;
  const CallId call = peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.connection().Close();
  EXPECT_EQ(peer.EndOf(call).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(peer.Take(FrameType::kGoAway).size(), 1u);
  EXPECT_FALSE(peer.connection().is_up());
}

TEST(Connection, BadCertificatesEndEveryCall) {
  Connection connection({.authority = "localhost", .tls = {.ca_pem = "none"}}, test::StartOfTime());
  const CallId call = connection.StartCall(Streaming(), test::StartOfTime());
  std::vector<absl::Status> ends;
  while (auto event = connection.PollEvent()) {
    if (auto* end = std::get_if<CallEnd>(&event->what)) {
      EXPECT_EQ(event->call, call);
      ends.push_back(end->status);
    }
  }
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends[0].code(), absl::StatusCode::kInvalidArgument);
}

// A call that waits for a free stream was never sent, whatever becomes of the connection.
TEST(Connection, SaysThatWhatWasNeverSentIsSafeToReplay) {
  struct Case {
    const char* name;
    std::function<void(Scripted&)> happens;
    bool sent_is_safe;
  };
  const Case cases[] = {
      {"end of the transport", [](Scripted& peer) { peer.connection().ReceiveEof(peer.now()); },
       false},
      {"failure of the transport",
       [](Scripted& peer) { peer.connection().Fail(absl::UnavailableError("reset"), peer.now()); },
       false},
      {"broken frame",
       [](Scripted& peer) { peer.Receive(EncodeFrame(FrameType::kData, 0, 0, "stream 0")); },
       false},
      {"GOAWAY that names the sent call",
       [](Scripted& peer) {
         peer.Receive(FrameScript::GoAway(1, h2::kNoError));
         peer.connection().ReceiveEof(peer.now());
       },
       false},
      {"GOAWAY that names neither",
       [](Scripted& peer) { peer.Receive(FrameScript::GoAway(0, h2::kNoError)); }, true},
      {"deadline", [](Scripted& peer) { peer.Advance(10s); }, false},
      {"close", [](Scripted& peer) { peer.connection().Close(); }, false},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    Scripted peer;
    peer.ReceivePreface();
    peer.Receive(FrameScript::Settings({{test::kSettingMaxConcurrentStreams, 1}}));
    peer.Take();
    const CallId sent = peer.Start(Streaming({.timeout = 10s}));
    const CallId waits = peer.Start(Streaming({.timeout = 10s}));
    ASSERT_EQ(peer.Take(FrameType::kHeaders).size(), 1u);
    c.happens(peer);
    std::map<CallId, absl::Status> ends;
    while (auto event = peer.connection().PollEvent()) {
      if (auto* end = std::get_if<CallEnd>(&event->what)) ends[event->call] = end->status;
    }
    ASSERT_EQ(ends.size(), 2u);
    EXPECT_EQ(InfoOf(ends[sent]).replay_safe, c.sent_is_safe) << ends[sent];
    EXPECT_TRUE(InfoOf(ends[waits]).replay_safe) << ends[waits];
  }
}

// The call may be made again elsewhere: a server that has closed its side alone must not get it,
// too.
TEST(Connection, NothingOfARequestLeavesBehindItsEnd) {
  const std::function<void(Scripted&)> ends[] = {
      [](Scripted& peer) { peer.connection().ReceiveEof(peer.now()); },
      [](Scripted& peer) { peer.connection().Fail(absl::UnavailableError("reset"), peer.now()); },
      [](Scripted& peer) { peer.Receive(EncodeFrame(FrameType::kData, 0, 0, "stream 0")); },
      [](Scripted& peer) { peer.connection().Close(); }};
  for (const auto& end : ends) {
    Scripted peer;
    peer.Take();
    peer.ReceivePreface();
    peer.Take();
    const CallId call = peer.Start(Unary());
    EXPECT_TRUE(peer.connection().Send(call, "charge the card").ok());
    end(peer);
    EXPECT_TRUE(InfoOf(peer.EndOf(call)).replay_safe);
    for (const Frame& frame : peer.Take()) {
      EXPECT_NE(frame.type, FrameType::kHeaders);
      EXPECT_NE(frame.type, FrameType::kData);
    }
  }
}

// Ten thousand that gave up left their requests in HTTP/2's queue, once.
TEST(Connection, CallsThatAreGivenUpWhileTheyWaitForAStreamLeaveNothing) {
  Scripted peer;
  peer.ReceivePreface();
  peer.Receive(FrameScript::Settings({{test::kSettingMaxConcurrentStreams, 1}}));
  peer.Start(Streaming());
  peer.Take();
  peer.Events();
  const auto give_one_up = [&peer] {
    const CallId call = peer.Start(Streaming());
    EXPECT_TRUE(peer.connection().Send(call, std::string(10'000, 'x')).ok());
    peer.connection().Cancel(call);
    EXPECT_EQ(peer.EndOf(call).code(), absl::StatusCode::kCancelled);
  };
  give_one_up();
  const size_t before = test::ResetPeakHeapBytes();
  for (int i = 0; i < 2000; ++i) give_one_up();
  EXPECT_LT(test::PeakHeapBytes(), before + 200'000);
  const CallId next = peer.Start(Streaming());
  peer.Receive(FrameScript::Settings({{test::kSettingMaxConcurrentStreams, 2}}));
  const std::vector<Frame> frames = peer.Take(FrameType::kHeaders);
  ASSERT_EQ(frames.size(), 1u) << "of the call that still waits";
  EXPECT_EQ(peer.connection().unsent_bytes(next), 0u);
}

TEST(Connection, SendsWhatACallHadToSendWhileItWaitedForAStream) {
  Scripted peer;
  peer.ReceivePreface();
  peer.Receive(FrameScript::Settings({{test::kSettingMaxConcurrentStreams, 1}}));
  const CallId first = peer.Start(Streaming());
  peer.Take();
  const CallId waits = peer.Start(Streaming());
  EXPECT_TRUE(peer.connection().Send(waits, "one").ok());
  EXPECT_TRUE(peer.connection().Send(waits, "two").ok());
  peer.connection().CloseSend(waits);
  EXPECT_FALSE(peer.connection().Send(waits, "three").ok());
  EXPECT_GT(peer.connection().unsent_bytes(waits), 0u);
  EXPECT_THAT(peer.Take(), IsEmpty());
  peer.connection().Cancel(first);
  EXPECT_EQ(peer.EndOf(first).code(), absl::StatusCode::kCancelled);
  std::string body;
  bool ended = false;
  for (const Frame& frame : peer.Take()) {
    if (frame.type != FrameType::kData) continue;
    body += frame.payload;
    ended = frame.has(kFlagEndStream);
  }
  EXPECT_EQ(body, Envelope("one") + Envelope("two"));
  EXPECT_TRUE(ended);
}

// It would wait for the calls that go on, only to be refused then.
TEST(Connection, GoAwayRefusesAtOnceWhatWaitsToBeSent) {
  Scripted peer;
  peer.ReceivePreface();
  peer.Receive(FrameScript::Settings({{test::kSettingMaxConcurrentStreams, 1}}));
  peer.Take();
  peer.Events();
  const CallId open = peer.Start(Streaming());
  peer.Start(Streaming());
  peer.Take();
  peer.Receive(FrameScript::GoAway(0x7FFFFFFF, h2::kNoError));
  EXPECT_THAT(peer.Events(), ElementsAre("goaway", "2 end UNAVAILABLE"));
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  peer.Receive(FrameScript::Data(1, EndStream(), kFlagEndStream));
  EXPECT_TRUE(peer.EndOf(open).ok());
}

TEST(Connection, ARefusalBehindTheResponseHeadersIsNotSafeToReplay) {
  Scripted peer;
  const CallId reset = peer.Start(Streaming());
  const CallId above = peer.Start(Streaming());
  peer.Take();
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  peer.Receive(peer.server().Headers(3, kStreamingOk));
  peer.Receive(FrameScript::RstStream(1, h2::kRefusedStream));
  EXPECT_FALSE(InfoOf(peer.EndOf(reset)).replay_safe);
  peer.Receive(FrameScript::GoAway(1, h2::kNoError));
  EXPECT_FALSE(InfoOf(peer.EndOf(above)).replay_safe);
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
