#include "cursorwire/connect/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "cursorwire/connect/error_info.h"
#include "support/frame_script.h"
#include "support/pair.h"
#include "support/scripted.h"

namespace cursorwire::connect {
namespace {

using ::testing::ElementsAre;
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
using test::kUnaryOk;
using test::Scripted;
using test::Streaming;

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

TEST(Connection, HandsOutMessagesAloneByTheShorterWay) {
  Scripted peer;
  peer.Start(Streaming());
  peer.Start(Streaming());
  peer.Take();
  EXPECT_FALSE(peer.connection().PollMessage().has_value());
  peer.ReceivePreface();
  peer.Receive(peer.server().Headers(1, kStreamingOk));
  peer.Receive(FrameScript::Data(1, Envelope("a") + Envelope("b")));
  // What comes before is for PollEvent(): the connection is up, and the head.
  EXPECT_FALSE(peer.connection().PollMessage().has_value());
  ASSERT_TRUE(peer.connection().PollEvent().has_value());
  EXPECT_FALSE(peer.connection().PollMessage().has_value());
  ASSERT_TRUE(peer.connection().PollEvent().has_value());
  std::optional<CallMessage> message = peer.connection().PollMessage();
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->call, 1u);
  EXPECT_EQ(message->message.bytes, "a");
  message = peer.connection().PollMessage();
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->message.bytes, "b");
  EXPECT_FALSE(peer.connection().PollMessage().has_value());
  peer.Receive(FrameScript::Data(1, EndStream(), kFlagEndStream));
  EXPECT_FALSE(peer.connection().PollMessage().has_value());
  EXPECT_THAT(peer.Events(), ElementsAre("1 end OK"));
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

}  // namespace
}  // namespace cursorwire::connect
