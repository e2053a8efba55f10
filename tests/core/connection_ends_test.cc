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
#include "support/status_matchers.h"

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
using test::Scripted;
using test::StatusIs;
using test::Streaming;
using test::Unary;

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

// The server's END_STREAM is waited for, since bytes may follow that must not; but not forever.
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

TEST(Connection, ACallWaitsForAStreamAsLongAsItMay) {
  Scripted peer({.http2 = {.stream_timeout = 100ms}});
  EXPECT_TRUE(peer.connection().has_free_stream()) << "the server has not said how many";
  peer.ReceivePreface();
  peer.Receive(FrameScript::Settings({{test::kSettingMaxConcurrentStreams, 1}}));
  EXPECT_TRUE(peer.connection().has_free_stream());
  const CallId open = peer.Start(Streaming());
  EXPECT_FALSE(peer.connection().has_free_stream());
  const CallId waits = peer.Start(Streaming());
  peer.Take();
  peer.Events();
  peer.Advance(99ms);
  EXPECT_THAT(peer.Events(), IsEmpty());
  peer.Advance(1ms);
  const absl::Status end = peer.EndOf(waits);
  EXPECT_THAT(end, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("waited 100 ms")));
  EXPECT_TRUE(InfoOf(end).replay_safe);
  // One that gets its stream in time has no such limit any more.
  const CallId next = peer.Start(Streaming());
  peer.connection().Cancel(open);
  EXPECT_EQ(peer.EndOf(open).code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(peer.Take(FrameType::kHeaders).size(), 1u);
  peer.Advance(200ms);
  EXPECT_THAT(peer.Events(), IsEmpty());
  peer.connection().Cancel(next);
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

}  // namespace
}  // namespace cursorwire::connect
