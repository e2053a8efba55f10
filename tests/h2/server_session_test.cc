#include "h2/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

using test::ForEachSplit;
using test::Frame;
using test::FrameScript;
using test::FrameType;
using test::IsOk;
using test::kEnhanceYourCalm;
using test::kFlagEndStream;
using test::kInitialWindow;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

TEST(ServerSession, BeginsWithItsSettings) {
  Fixture fixture({.role = Role::kServer,
                   .stream_window = 100000,
                   .connection_window = 200000,
                   .max_header_bytes = 5000,
                   .max_concurrent_streams = 7});
  const std::vector<Frame> frames = fixture.Take();
  EXPECT_FALSE(fixture.peer().saw_magic());
  ASSERT_THAT(frames, ElementsAre(IsFrame(FrameType::kSettings, 0),
                                  IsWindowUpdate(0, 200000 - kInitialWindow)));
  EXPECT_EQ(SettingsOf(frames[0]),
            (std::map<uint32_t, uint32_t>{{test::kSettingMaxConcurrentStreams, 7},
                                          {test::kSettingInitialWindowSize, 100000},
                                          {test::kSettingMaxHeaderListSize, 5000}}));
}

TEST(ServerSession, ReadsARequestAtEverySplit) {
  FrameScript peer;
  const std::string bytes = std::string(test::kClientMagic) + FrameScript::Settings() +
                            peer.Headers(1, kRequest) + FrameScript::Data(1, "bo") +
                            FrameScript::Data(1, "dy", kFlagEndStream);
  ForEachSplit(bytes, [&](const std::vector<std::string_view>& pieces) {
    Fixture fixture(ServerOptions());
    for (std::string_view piece : pieces) fixture.Receive(piece);
    EXPECT_THAT(fixture.log(), ElementsAre("settings", "opened 1"));
    EXPECT_THAT(fixture.stream(1).log(), ElementsAre(kRequestLine, "data body", "end"));
  });
}

TEST(ServerSession, RefusesABrokenMagicAtEverySplit) {
  ForEachSplit("GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
               [](const std::vector<std::string_view>& pieces) {
                 Fixture fixture(ServerOptions());
                 absl::Status status;
                 for (std::string_view piece : pieces) {
                   if (status.ok()) status = fixture.session().Receive(piece);
                 }
                 EXPECT_THAT(status, StatusIs(absl::StatusCode::kInternal));
               });
}

TEST(ServerSession, RefusesBrokenFrames) {
  for (const std::string& bytes : {FrameScript::Data(0, "x"), FrameScript::Ping("1234567"),
                                   FrameScript::WindowUpdate(0, 0), FrameScript::Data(5, "x")}) {
    ServerFixture fixture;
    EXPECT_THAT(fixture.session().Receive(bytes), StatusIs(absl::StatusCode::kInternal));
    EXPECT_EQ(Count(fixture.Take(), FrameType::kGoAway), 1u);
  }
}

TEST(ServerSession, AnswersWithABody) {
  ServerFixture fixture;
  fixture.Receive(fixture.peer().Headers(1, kRequest, kFlagEndStream));
  EXPECT_THAT(fixture.stream(1).log(), ElementsAre(kRequestLine, "end"));
  const Headers response = {{":status", "200"}, {"a", "b"}};
  EXPECT_THAT(fixture.session().SubmitResponse(1, response, EndStream::kNo), IsOk());
  std::vector<Frame> frames = fixture.Take();
  ASSERT_THAT(frames, ElementsAre(IsFrame(FrameType::kHeaders, 1)));
  EXPECT_EQ(frames[0].headers, response);
  EXPECT_FALSE(frames[0].has(kFlagEndStream));

  fixture.session().Write(1, "body");
  fixture.session().FinishWrite(1);
  frames = fixture.Take();
  EXPECT_EQ(DataOf(frames, 1), "body");
  ASSERT_FALSE(frames.empty());
  EXPECT_TRUE(frames.back().has(kFlagEndStream));
  EXPECT_THAT(fixture.stream(1).log(), ElementsAre(kRequestLine, "end", "closed 0"));
}

TEST(ServerSession, AnswersWithoutABody) {
  ServerFixture fixture;
  fixture.Receive(fixture.peer().Headers(1, kRequest, kFlagEndStream));
  EXPECT_THAT(fixture.session().SubmitResponse(1, {{":status", "404"}}, EndStream::kYes), IsOk());
  const std::vector<Frame> frames = fixture.Take();
  ASSERT_THAT(frames, ElementsAre(IsFrame(FrameType::kHeaders, 1)));
  EXPECT_TRUE(frames[0].has(kFlagEndStream));
  EXPECT_THAT(fixture.stream(1).log(), ElementsAre(kRequestLine, "end", "closed 0"));
}

TEST(ServerSession, IgnoresBodyBytesBehindAResponseWithoutBody) {
  ServerFixture fixture;
  fixture.Receive(fixture.peer().Headers(1, kRequest));
  EXPECT_THAT(fixture.session().SubmitResponse(1, {{":status", "404"}}, EndStream::kYes), IsOk());
  fixture.session().Write(1, "late");
  EXPECT_EQ(fixture.session().unsent_bytes(1), 0u);
  EXPECT_EQ(Count(fixture.Take(), FrameType::kData), 0u);
}

TEST(ServerSession, RefusesAStreamThatNobodyServes) {
  ServerFixture fixture;
  fixture.RefuseStreams();
  fixture.Receive(fixture.peer().Headers(1, kRequest) + FrameScript::Data(1, "body"));
  EXPECT_THAT(fixture.log(), ElementsAre("settings", "opened 1"));
  EXPECT_THAT(fixture.stream(1).log(), IsEmpty());
  EXPECT_THAT(fixture.Take(), ElementsAre(IsReset(1, kRefusedStream)));
  EXPECT_THAT(fixture.session().SubmitResponse(1, {{":status", "200"}}, EndStream::kYes), IsOk());
  EXPECT_THAT(fixture.Take(), IsEmpty());
}

TEST(ServerSession, GivesConnectionCreditBackForARefusedStream) {
  ServerFixture fixture(
      {.role = Role::kServer, .stream_window = 70000, .connection_window = 100000});
  fixture.RefuseStreams();
  fixture.Receive(fixture.peer().Headers(1, kRequest) +
                  FrameScript::LongData(1, std::string(60000, 'x')));
  EXPECT_THAT(fixture.Take(), IsSupersetOf({IsWindowUpdate(0, 60000)}));
}

TEST(ServerSession, ReportsAResetAndIgnoresTheAnswer) {
  ServerFixture fixture;
  fixture.Receive(fixture.peer().Headers(1, kRequest) + FrameScript::RstStream(1, kCancel));
  EXPECT_THAT(fixture.stream(1).log(), ElementsAre(kRequestLine, "closed 8 by peer"));
  EXPECT_THAT(fixture.session().SubmitResponse(1, {{":status", "200"}}, EndStream::kNo), IsOk());
  fixture.session().Write(1, "body");
  fixture.session().FinishWrite(1);
  EXPECT_THAT(fixture.Take(), IsEmpty());
}

TEST(ServerSession, ReadsTrailersOfARequest) {
  ServerFixture fixture;
  fixture.Receive(fixture.peer().Headers(1, kRequest) + FrameScript::Data(1, "body"));
  fixture.Receive(fixture.peer().Headers(1, {{"x", "y"}}, kFlagEndStream));
  EXPECT_THAT(fixture.stream(1).log(),
              ElementsAre(kRequestLine, "data body", "headers x=y", "end"));
}

TEST(ServerSession, ResetsARequestWhoseHeadersAreOverTheLimit) {
  ServerFixture fixture({.role = Role::kServer, .max_header_bytes = 300});
  Headers big = kRequest;
  big.Add("x-long", std::string(300, 'x'));
  fixture.Receive(fixture.peer().Headers(1, big));
  EXPECT_THAT(fixture.Take(), ElementsAre(IsFrame(FrameType::kRstStream, 1)));
  EXPECT_THAT(fixture.stream(1).log(), ElementsAre(HasSubstr("header limit")));
}

TEST(ServerSession, SaysGoAwayAndRefusesLaterStreams) {
  ServerFixture fixture;
  fixture.Receive(fixture.peer().Headers(1, kRequest));
  fixture.session().SendGoAway(kNoError, "bye");
  const std::vector<Frame> frames = fixture.Take();
  ASSERT_THAT(frames, ElementsAre(IsGoAway(kNoError)));
  EXPECT_EQ(frames[0].first_word(), 1u);
  EXPECT_EQ(frames[0].payload.substr(8), "bye");
  fixture.Receive(fixture.peer().Headers(3, kRequest));
  EXPECT_THAT(fixture.log(), ElementsAre("settings", "opened 1"));
  // The stream that was open goes on.
  EXPECT_THAT(fixture.session().SubmitResponse(1, {{":status", "200"}}, EndStream::kYes), IsOk());
  EXPECT_EQ(Count(fixture.Take(), FrameType::kHeaders), 1u);
}

TEST(ServerSession, ReportsAViolationBehindItsOwnGoAway) {
  for (const bool sent : {false, true}) {
    SCOPED_TRACE(sent ? "sent" : "queued");
    ServerFixture fixture;
    fixture.Receive(fixture.peer().Headers(1, kRequest));  // without a stream nothing is read
    fixture.session().SendGoAway(kEnhanceYourCalm, "bye");
    fixture.session().SendGoAway(kNoError, "bye");
    if (sent) {
      EXPECT_THAT(fixture.Take(), ElementsAre(IsGoAway(kEnhanceYourCalm), IsGoAway(kNoError)));
    }
    fixture.Receive(FrameScript::Ping("12345678"));  // neither of them is the peer's fault
    EXPECT_THAT(fixture.session().Receive(FrameScript::Data(0, "x")),
                StatusIs(absl::StatusCode::kInternal));
    EXPECT_THAT(fixture.session().Receive(FrameScript::Ping("12345678")),
                StatusIs(absl::StatusCode::kInternal));
  }
}

}  // namespace
}  // namespace cursorwire::h2
