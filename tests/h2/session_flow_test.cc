#include "h2/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "h2/session_fixture.h"
#include "support/frame_script.h"
#include "support/status_matchers.h"

namespace cursorwire::h2 {
namespace {

using test::Frame;
using test::FrameScript;
using test::IsOk;
using test::kFlagEndStream;
using test::kInitialWindow;
using test::kInternalErrorCode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

TEST(ClientSession, GivesNoCreditBackByItself) {
  ClientFixture fixture({.stream_window = 70000, .connection_window = 100000});
  const int32_t id = fixture.OpenAndSend();
  fixture.Receive(fixture.peer().Headers(id, {{":status", "200"}}) +
                  FrameScript::LongData(id, std::string(70000, 'x')));
  EXPECT_EQ(fixture.stream(id).data_bytes(), 70000u);
  EXPECT_THAT(fixture.Take(), IsEmpty());
}

TEST(ClientSession, GivesStreamCreditBackWhenConsumed) {
  ClientFixture fixture({.stream_window = 70000, .connection_window = 100000});
  const int32_t id = fixture.OpenAndSend();
  fixture.Receive(fixture.peer().Headers(id, {{":status", "200"}}) +
                  FrameScript::LongData(id, std::string(70000, 'x')));
  fixture.session().ConsumeStream(id, 60000);
  EXPECT_THAT(fixture.Take(), ElementsAre(IsWindowUpdate(id, 60000)));
  // And the peer may use it.
  fixture.Receive(FrameScript::LongData(id, std::string(30000, 'x')));
  EXPECT_EQ(fixture.stream(id).data_bytes(), 100000u);
}

TEST(ClientSession, GivesConnectionCreditBackWhenConsumed) {
  ClientFixture fixture({.stream_window = 70000, .connection_window = 100000});
  const int32_t id = fixture.OpenAndSend();
  fixture.Receive(fixture.peer().Headers(id, {{":status", "200"}}) +
                  FrameScript::LongData(id, std::string(60000, 'x')));
  fixture.session().ConsumeConnection(60000);
  EXPECT_THAT(fixture.Take(), ElementsAre(IsWindowUpdate(0, 60000)));
}

TEST(ClientSession, GivesConnectionCreditBackForAStreamThatIsGone) {
  ClientFixture fixture({.stream_window = 70000, .connection_window = 100000});
  const int32_t id = fixture.OpenAndSend();
  fixture.Receive(fixture.peer().Headers(id, {{":status", "200"}}));
  fixture.session().Reset(id, kCancel);
  // What was under way when the peer had not seen the reset yet.
  fixture.Receive(FrameScript::LongData(id, std::string(60000, 'x')));
  EXPECT_EQ(fixture.stream(id).data_bytes(), 0u);
  EXPECT_THAT(fixture.Take(), IsSupersetOf({IsWindowUpdate(0, 60000)}));
}

TEST(ClientSession, ResetsAStreamThatIsSentMoreThanItsWindow) {
  ClientFixture fixture({.stream_window = 1000, .connection_window = 100000});
  const int32_t id = fixture.OpenAndSend();
  fixture.Receive(fixture.peer().Headers(id, {{":status", "200"}}) +
                  FrameScript::Data(id, std::string(1001, 'x')) +
                  FrameScript::Data(id, std::string(1000, 'x')));
  EXPECT_THAT(fixture.Take(), ElementsAre(IsReset(id, kFlowControlError)));
  // The frame that goes over the window may be reported, but none after it.
  EXPECT_LE(fixture.stream(id).data_bytes(), 1001u);
}

TEST(ClientSession, SendsNoMoreThanTheWindowsOfThePeer) {
  ClientFixture fixture({}, FrameScript::Settings({{test::kSettingInitialWindowSize, 10}}));
  const int32_t id = fixture.OpenAndSend();
  fixture.session().Write(id, "0123456789abcdefghij");
  EXPECT_EQ(fixture.session().unsent_bytes(id), 20u);
  EXPECT_EQ(DataOf(fixture.Take(), id), "0123456789");
  EXPECT_EQ(fixture.session().unsent_bytes(id), 10u);
  EXPECT_FALSE(fixture.session().WantsOutput());

  fixture.Receive(FrameScript::WindowUpdate(id, 4));
  EXPECT_EQ(DataOf(fixture.Take(), id), "abcd");
  EXPECT_EQ(fixture.session().unsent_bytes(id), 6u);

  fixture.session().FinishWrite(id);
  EXPECT_THAT(fixture.Take(), IsEmpty());
  fixture.Receive(FrameScript::WindowUpdate(id, 100));
  const std::vector<Frame> frames = fixture.Take();
  EXPECT_EQ(DataOf(frames, id), "efghij");
  ASSERT_FALSE(frames.empty());
  EXPECT_TRUE(frames.back().has(kFlagEndStream));
  EXPECT_EQ(fixture.session().unsent_bytes(id), 0u);
}

TEST(ClientSession, SharesTheConnectionWindowAmongStreams) {
  ClientFixture fixture({}, FrameScript::Settings({{test::kSettingInitialWindowSize, 1000000}}));
  const int32_t first = fixture.OpenAndSend();
  const int32_t second = fixture.OpenAndSend();
  fixture.session().Write(first, std::string(50000, 'a'));
  fixture.session().Write(second, std::string(50000, 'b'));
  std::vector<Frame> frames = fixture.Take();
  EXPECT_EQ(DataOf(frames, first).size() + DataOf(frames, second).size(), kInitialWindow);
  EXPECT_EQ(fixture.session().unsent_bytes(first) + fixture.session().unsent_bytes(second),
            100000 - kInitialWindow);
  fixture.Receive(FrameScript::WindowUpdate(0, 100000));
  frames = fixture.Take();
  EXPECT_EQ(DataOf(frames, first).size() + DataOf(frames, second).size(), 100000 - kInitialWindow);
}

TEST(ClientSession, StopsOutputSoonBehindTheAskedSize) {
  ClientFixture fixture({}, FrameScript::Settings({{test::kSettingInitialWindowSize, 1000000}}));
  const int32_t id = fixture.OpenAndSend();
  fixture.session().Write(id, std::string(60000, 'x'));
  std::string bytes;
  EXPECT_THAT(fixture.session().TakeOutput(1, bytes), IsOk());
  EXPECT_GE(bytes.size(), 1u);
  EXPECT_LE(bytes.size(), 16384u + test::kFrameHeaderBytes);
  EXPECT_TRUE(fixture.session().WantsOutput());
  EXPECT_GT(fixture.session().unsent_bytes(id), 0u);
  // The rest comes later and is appended.
  EXPECT_THAT(fixture.session().TakeOutput(kEverything, bytes), IsOk());
  EXPECT_EQ(DataOf(fixture.peer().Read(bytes), id).size(), 60000u);
}

TEST(ClientSession, ResetDropsWhatIsUnsent) {
  ClientFixture fixture({}, FrameScript::Settings({{test::kSettingInitialWindowSize, 3}}));
  const int32_t id = fixture.OpenAndSend();
  fixture.session().Write(id, "abcdef");
  EXPECT_EQ(DataOf(fixture.Take(), id), "abc");
  fixture.session().Reset(id, kCancel);
  EXPECT_EQ(fixture.session().unsent_bytes(id), 0u);
  EXPECT_THAT(fixture.Take(), ElementsAre(IsReset(id, kCancel)));
  EXPECT_THAT(fixture.stream(id).log(), ElementsAre("closed 8"));
}

TEST(ClientSession, ResetBeforeTheRequestWasSentSendsNothing) {
  ClientFixture fixture;
  const int32_t id = fixture.Open(kRequest, EndStream::kNo);
  fixture.session().Write(id, "body");
  fixture.session().Reset(id, kCancel);
  EXPECT_THAT(fixture.Take(), IsEmpty());
  EXPECT_THAT(fixture.stream(id).log(), ElementsAre("closed 8"));
}

TEST(ClientSession, ResetTwiceSendsOneFrame) {
  ClientFixture fixture;
  const int32_t id = fixture.OpenAndSend();
  fixture.session().Reset(id, kCancel);
  fixture.session().Reset(id, kInternalErrorCode);
  EXPECT_THAT(fixture.Take(), ElementsAre(IsReset(id, kCancel)));
  EXPECT_THAT(fixture.stream(id).log(), ElementsAre("closed 8"));
}

TEST(ClientSession, ResetOfAClosedStreamSendsNothing) {
  ClientFixture fixture;
  const int32_t id = fixture.OpenAndSend();
  fixture.Receive(FrameScript::RstStream(id, kRefusedStream));
  fixture.session().Reset(id, kCancel);
  EXPECT_THAT(fixture.Take(), IsEmpty());
  EXPECT_THAT(fixture.stream(id).log(), ElementsAre("closed 7 by peer"));
}

// A stream that was never opened must not be named on the wire (RFC 9113, 5.1: idle).
TEST(ClientSession, SendsNothingOfARequestThatIsResetTwiceBeforeItIsSent) {
  ClientFixture fixture;
  fixture.Take();  // the preface
  const int32_t id = fixture.Open(kRequest, EndStream::kNo);
  fixture.session().Reset(id, kCancel);
  fixture.session().Reset(id, kCancel);
  EXPECT_THAT(fixture.Take(), IsEmpty());
  EXPECT_THAT(fixture.stream(id).log(), ElementsAre("closed 8"));
}

TEST(ClientSession, ReportsNothingOfAStreamBehindItsReset) {
  ClientFixture fixture;
  const int32_t id = fixture.OpenAndSend();
  fixture.session().Reset(id, kCancel);
  fixture.Take();
  fixture.Receive(fixture.peer().Headers(id, {{":status", "200"}}) +
                  FrameScript::Data(id, "late", kFlagEndStream));
  EXPECT_THAT(fixture.stream(id).log(), ElementsAre("closed 8"));
}

}  // namespace
}  // namespace cursorwire::h2
