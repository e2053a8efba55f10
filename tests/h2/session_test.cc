#include "h2/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cursorwire/connect/error_info.h"
#include "h2/session_fixture.h"
#include "support/for_each_split.h"
#include "support/frame_script.h"
#include "support/status_matchers.h"

namespace cursorwire::h2 {
namespace {

using connect::ErrorInfo;
using connect::ErrorOrigin;
using test::ForEachSplit;
using test::Frame;
using test::FrameScript;
using test::FrameType;
using test::IsOk;
using test::kEnhanceYourCalm;
using test::kFlagAck;
using test::kFlagEndStream;
using test::kFlagPadded;
using test::kInitialWindow;
using test::kInternalErrorCode;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

// The peer knows of a request with the first of several frames of its header block.
TEST(ClientSession, ARequestIsSentWithTheFirstOfItsFrames) {
  ClientFixture client;
  Headers headers = kRequest;
  std::string noise;
  for (size_t i = 0; i < 40'000; ++i) noise.push_back(static_cast<char>('!' + i * 7919 % 90));
  headers.Add("x-large", noise);
  const int32_t id = client.Open(headers, EndStream::kNo);
  EXPECT_FALSE(client.session().request_sent(id));
  std::string piece;
  EXPECT_THAT(client.session().TakeOutput(1, piece), IsOk());
  EXPECT_LT(piece.size(), 40'000u);
  EXPECT_TRUE(client.session().request_sent(id));
}

TEST(ClientSession, HasFreeStreamsUpToThePeersLimit) {
  Fixture early({});
  EXPECT_TRUE(early.session().has_free_stream());
  ClientFixture client({}, FrameScript::Settings({{test::kSettingMaxConcurrentStreams, 2}}));
  client.OpenAndSend();
  EXPECT_TRUE(client.session().has_free_stream());
  const int32_t last = client.Open(kRequest, EndStream::kNo);
  EXPECT_FALSE(client.session().has_free_stream());
  client.session().Reset(last, kCancel);
  client.Take();
  EXPECT_TRUE(client.session().has_free_stream());
}
TEST(ClientSession, BeginsWithMagicSettingsAndTheConnectionWindow) {
  Fixture fixture({.stream_window = 100000, .connection_window = 200000, .max_header_bytes = 5000});
  EXPECT_TRUE(fixture.session().WantsOutput());
  const std::vector<Frame> frames = fixture.Take();
  EXPECT_TRUE(fixture.peer().saw_magic());
  ASSERT_THAT(frames, ElementsAre(IsFrame(FrameType::kSettings, 0),
                                  IsWindowUpdate(0, 200000 - kInitialWindow)));
  EXPECT_FALSE(frames[0].has(kFlagAck));
  EXPECT_EQ(SettingsOf(frames[0]),
            (std::map<uint32_t, uint32_t>{{test::kSettingEnablePush, 0},
                                          {test::kSettingInitialWindowSize, 100000},
                                          {test::kSettingMaxHeaderListSize, 5000}}));
  EXPECT_FALSE(fixture.session().WantsOutput());
}

TEST(ClientSession, AcknowledgesSettingsAndReportsThem) {
  Fixture fixture({});
  fixture.Take();
  fixture.Receive(FrameScript::Settings());
  EXPECT_THAT(fixture.log(), ElementsAre("settings"));
  const std::vector<Frame> frames = fixture.Take();
  ASSERT_THAT(frames, ElementsAre(IsFrame(FrameType::kSettings, 0)));
  EXPECT_TRUE(frames[0].has(kFlagAck));
  fixture.Receive(FrameScript::SettingsAck());
  EXPECT_THAT(fixture.log(), SizeIs(1)) << "an acknowledgement is not the peer's settings";
}

TEST(ClientSession, SendsARequestWithoutBody) {
  ClientFixture fixture;
  const int32_t id = fixture.Open(kRequest, EndStream::kYes);
  const std::vector<Frame> frames = fixture.Take();
  ASSERT_THAT(frames, ElementsAre(IsFrame(FrameType::kHeaders, id)));
  EXPECT_TRUE(frames[0].has(kFlagEndStream));
  EXPECT_EQ(frames[0].headers, kRequest);
}

TEST(ClientSession, SendsABodyInOrderAndHalfClosesBehindIt) {
  ClientFixture fixture;
  const int32_t id = fixture.Open(kRequest, EndStream::kNo);
  fixture.session().Write(id, "one ");
  std::vector<Frame> frames = fixture.Take();
  ASSERT_GE(frames.size(), 2u);
  EXPECT_THAT(frames[0], IsFrame(FrameType::kHeaders, id));
  EXPECT_FALSE(frames[0].has(kFlagEndStream));
  EXPECT_EQ(frames[0].headers, kRequest);
  EXPECT_EQ(DataOf(frames, id), "one ");
  EXPECT_FALSE(frames.back().has(kFlagEndStream));
  EXPECT_FALSE(fixture.session().WantsOutput());

  fixture.session().Write(id, "two ");
  fixture.session().Write(id, "three");
  fixture.session().FinishWrite(id);
  fixture.session().Write(id, "too late");
  frames = fixture.Take();
  EXPECT_EQ(DataOf(frames, id), "two three");
  ASSERT_FALSE(frames.empty());
  EXPECT_TRUE(frames.back().has(kFlagEndStream));
  EXPECT_EQ(fixture.session().unsent_bytes(id), 0u);
}

TEST(ClientSession, SendsFramesOfTheirOwnWhereItIsTold) {
  ClientFixture fixture;
  const int32_t id = fixture.OpenAndSend();
  fixture.session().Write(id, "as it");
  fixture.session().Write(id, " comes");
  fixture.session().WriteFrame(id, "a");
  fixture.session().WriteFrame(id, "");
  fixture.session().WriteFrame(id, "bc");
  fixture.session().Write(id, "rest");
  fixture.session().FinishWrite(id);
  std::vector<std::string> payloads;
  for (const Frame& frame : fixture.Take()) {
    if (frame.type == FrameType::kData) payloads.push_back(frame.payload);
  }
  EXPECT_THAT(payloads, ElementsAre("as it comes", "a", "bc", "rest"));
}

TEST(ClientSession, HalfClosesWithAnEmptyFrameIfNothingIsLeft) {
  ClientFixture fixture;
  const int32_t id = fixture.OpenAndSend();
  fixture.session().FinishWrite(id);
  const std::vector<Frame> frames = fixture.Take();
  ASSERT_THAT(frames, ElementsAre(IsFrame(FrameType::kData, id)));
  EXPECT_TRUE(frames[0].has(kFlagEndStream));
  EXPECT_EQ(frames[0].payload, "");
}

TEST(ClientSession, IgnoresBodyBytesBehindARequestWithoutBody) {
  ClientFixture fixture;
  const int32_t id = fixture.OpenAndSend(EndStream::kYes);
  fixture.session().Write(id, "late");
  EXPECT_EQ(fixture.session().unsent_bytes(id), 0u);
  EXPECT_THAT(fixture.Take(), IsEmpty());
}

TEST(ClientSession, KeepsStreamsApart) {
  ClientFixture fixture;
  const int32_t first = fixture.OpenAndSend();
  const int32_t second = fixture.OpenAndSend();
  EXPECT_NE(first, second);
  fixture.session().Write(second, "second");
  fixture.session().Write(first, "first");
  const std::vector<Frame> sent = fixture.Take();
  EXPECT_EQ(DataOf(sent, first), "first");
  EXPECT_EQ(DataOf(sent, second), "second");
  fixture.Receive(fixture.peer().Headers(second, {{":status", "200"}}));
  fixture.Receive(fixture.peer().Headers(first, {{":status", "404"}}));
  fixture.Receive(FrameScript::Data(second, "b") + FrameScript::Data(first, "a") +
                  FrameScript::Data(second, "b"));
  EXPECT_THAT(fixture.stream(first).log(), ElementsAre("headers :status=404", "data a"));
  EXPECT_THAT(fixture.stream(second).log(), ElementsAre("headers :status=200", "data bb"));
}

TEST(ClientSession, ReadsAResponseAtEverySplit) {
  FrameScript peer;
  std::string bytes = FrameScript::Settings({{test::kSettingMaxConcurrentStreams, 100}});
  bytes += FrameScript::SettingsAck();
  bytes += peer.Headers(1, {{":status", "103"}, {"link", "x"}});
  bytes += peer.Headers(1, {{":status", "200"}, {"x-a", "1"}, {"x-a", "2"}});
  bytes += FrameScript::Data(1, "hello ");
  bytes += FrameScript::Data(1, "");
  bytes += EncodeFrame(FrameType::kData, kFlagPadded, 1, std::string_view("\x03world\0\0\0", 9));
  bytes += FrameScript::Ping("12345678");
  bytes += peer.Headers(1, {{"grpc-status", "0"}}, kFlagEndStream);
  ForEachSplit(bytes, [&](const std::vector<std::string_view>& pieces) {
    Fixture fixture({});
    const int32_t id = fixture.Open(kRequest, EndStream::kYes);
    fixture.Take();
    for (std::string_view piece : pieces) fixture.Receive(piece);
    EXPECT_THAT(fixture.log(), ElementsAre("settings"));
    EXPECT_THAT(fixture.stream(id).log(),
                ElementsAre("headers :status=200 x-a=1 x-a=2", "data hello world",
                            "headers grpc-status=0", "end", "closed 0"));
    const std::vector<Frame> frames = fixture.Take();
    EXPECT_EQ(Count(frames, FrameType::kPing), 1u);
    EXPECT_EQ(Count(frames, FrameType::kRstStream), 0u);
    EXPECT_EQ(Count(frames, FrameType::kGoAway), 0u);
  });
}

// A header block of three frames.
TEST(ClientSession, ReadsContinuationsAtEverySplit) {
  const Headers response = {{":status", "200"}, {"x-a", "first"}, {"x-b", "second"}};
  FrameScript sizing;
  const size_t block = sizing.Headers(1, response).size() - test::kFrameHeaderBytes;
  FrameScript peer;
  const std::string bytes = FrameScript::Settings() + peer.Headers(1, response, 0, block / 3 + 1);
  ForEachSplit(bytes, [&](const std::vector<std::string_view>& pieces) {
    Fixture fixture({});
    const int32_t id = fixture.Open(kRequest, EndStream::kYes);
    fixture.Take();
    for (std::string_view piece : pieces) fixture.Receive(piece);
    EXPECT_THAT(fixture.stream(id).log(), ElementsAre("headers :status=200 x-a=first x-b=second"));
  });
}

TEST(ClientSession, EndsAStreamOnTheFlagOfData) {
  ClientFixture fixture;
  const int32_t id = fixture.OpenAndSend(EndStream::kYes);
  fixture.Receive(fixture.peer().Headers(id, {{":status", "200"}}) +
                  FrameScript::Data(id, "body", kFlagEndStream));
  EXPECT_THAT(fixture.stream(id).log(),
              ElementsAre("headers :status=200", "data body", "end", "closed 0"));
}

TEST(ClientSession, EndsAStreamOnTheFlagOfTheResponseHeaders) {
  ClientFixture fixture;
  const int32_t id = fixture.OpenAndSend(EndStream::kYes);
  fixture.Receive(fixture.peer().Headers(id, {{":status", "204"}}, kFlagEndStream));
  EXPECT_THAT(fixture.stream(id).log(), ElementsAre("headers :status=204", "end", "closed 0"));
}

TEST(ClientSession, KeepsAStreamOpenUntilBothSidesEnded) {
  ClientFixture fixture;
  const int32_t id = fixture.OpenAndSend();
  fixture.Receive(fixture.peer().Headers(id, {{":status", "200"}}, kFlagEndStream));
  EXPECT_THAT(fixture.stream(id).log(), ElementsAre("headers :status=200", "end"));
  fixture.session().Write(id, "still");
  fixture.session().FinishWrite(id);
  EXPECT_EQ(DataOf(fixture.Take(), id), "still");
  EXPECT_THAT(fixture.stream(id).log(), ElementsAre("headers :status=200", "end", "closed 0"));
}

TEST(ClientSession, LeavesInformationalResponsesOut) {
  ClientFixture fixture;
  const int32_t id = fixture.OpenAndSend();
  fixture.Receive(fixture.peer().Headers(id, {{":status", "100"}}));
  fixture.Receive(fixture.peer().Headers(id, {{":status", "103"}, {"link", "x"}}));
  EXPECT_THAT(fixture.stream(id).log(), IsEmpty());
  fixture.Receive(fixture.peer().Headers(id, {{":status", "200"}, {"a", "b"}}));
  EXPECT_THAT(fixture.stream(id).log(), ElementsAre("headers :status=200 a=b"));
}

TEST(ClientSession, ReportsAResetWithItsCode) {
  for (const uint32_t code :
       {kNoError, kInternalErrorCode, kRefusedStream, kEnhanceYourCalm, uint32_t{0xDEADBEEF}}) {
    ClientFixture fixture;
    const int32_t id = fixture.OpenAndSend();
    fixture.session().Write(id, "x");
    fixture.Receive(FrameScript::RstStream(id, code));
    EXPECT_THAT(fixture.stream(id).log(),
                ElementsAre("closed " + std::to_string(code) + " by peer"));
    fixture.session().Write(id, "more");
    EXPECT_EQ(fixture.session().unsent_bytes(id), 0u);
    EXPECT_EQ(DataOf(fixture.Take(), id), "");
  }
}

TEST(ClientSession, ClosesTheStreamsAboveAGoAwayAsRefused) {
  ClientFixture fixture;
  const int32_t first = fixture.OpenAndSend();
  const int32_t second = fixture.OpenAndSend();
  const int32_t third = fixture.OpenAndSend();
  fixture.Receive(FrameScript::GoAway(first, kNoError, "bye"));
  EXPECT_THAT(fixture.log(), ElementsAre("settings", "goaway 1 0 bye"));
  EXPECT_THAT(fixture.stream(first).log(), IsEmpty());
  EXPECT_THAT(fixture.stream(second).log(), ElementsAre("closed 7"));
  EXPECT_THAT(fixture.stream(third).log(), ElementsAre("closed 7"));
  // The one below it goes on.
  fixture.session().Write(first, "x");
  fixture.session().FinishWrite(first);
  EXPECT_EQ(DataOf(fixture.Take(), first), "x");
  fixture.Receive(fixture.peer().Headers(first, {{":status", "200"}}, kFlagEndStream));
  EXPECT_THAT(fixture.stream(first).log(), ElementsAre("headers :status=200", "end", "closed 0"));
}

TEST(ClientSession, OpensNoStreamBehindAGoAway) {
  ClientFixture fixture;
  fixture.OpenAndSend();
  fixture.Receive(FrameScript::GoAway(1, kNoError));
  Recorder late;
  const absl::StatusOr<int32_t> id =
      fixture.session().SubmitRequest(kRequest, EndStream::kNo, late);
  EXPECT_THAT(id, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(connect::GetErrorInfo(id.status()),
              Optional(ErrorInfo{.origin = ErrorOrigin::kTransport, .replay_safe = true}));
  EXPECT_EQ(Count(fixture.Take(), FrameType::kHeaders), 0u);
}

TEST(ClientSession, RefusesARequestThatAGoAwayOvertook) {
  ClientFixture fixture;
  fixture.OpenAndSend();
  const int32_t waiting = fixture.Open(kRequest, EndStream::kNo);
  fixture.session().Write(waiting, "body");
  fixture.Receive(FrameScript::GoAway(1, kNoError));
  EXPECT_EQ(Count(fixture.Take(), FrameType::kHeaders), 0u);
  EXPECT_THAT(fixture.stream(waiting).log(), ElementsAre("closed 7"));
}

TEST(ClientSession, BoundsTheDebugDataOfAGoAway) {
  ClientFixture fixture;
  fixture.Receive(FrameScript::GoAway(0, kEnhanceYourCalm, std::string(5000, 'x')));
  EXPECT_THAT(fixture.log(), ElementsAre("settings", "goaway 0 11 " + std::string(1024, 'x')));
}

TEST(ClientSession, HoldsRequestsOverTheLimitOfThePeerBack) {
  ClientFixture fixture({}, FrameScript::Settings({{test::kSettingMaxConcurrentStreams, 1}}));
  const int32_t first = fixture.OpenAndSend(EndStream::kYes);
  const int32_t second = fixture.Open(kRequest, EndStream::kYes);
  EXPECT_THAT(fixture.Take(), IsEmpty());
  fixture.Receive(fixture.peer().Headers(first, {{":status", "200"}}, kFlagEndStream));
  EXPECT_THAT(fixture.Take(), ElementsAre(IsFrame(FrameType::kHeaders, second)));
}

TEST(Session, MayEndWithStreamsOpen) {
  ClientFixture fixture;
  const int32_t id = fixture.OpenAndSend();
  fixture.session().Write(id, "never sent");
  EXPECT_EQ(fixture.session().unsent_bytes(id), 10u);
}

}  // namespace
}  // namespace cursorwire::h2
