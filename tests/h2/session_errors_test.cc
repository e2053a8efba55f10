#include "h2/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
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
using connect::Header;
using test::ForEachSplit;
using test::Frame;
using test::FrameScript;
using test::FrameType;
using test::IsOk;
using test::kFlagAck;
using test::kFlagEndStream;
using test::kFlagPadded;
using test::kInitialWindow;
using test::kProtocolErrorCode;
using test::StatusIs;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::SizeIs;

TEST(ClientSession, ResetsAStreamWhoseHeadersAreOverTheLimit) {
  // 3 for :status, 200 and 32 more are 42; 1 + 26 + 32 are 59.
  const Headers response = {{":status", "200"}, {"a", std::string(26, 'x')}};
  for (const size_t limit : {size_t{101}, size_t{100}}) {
    SCOPED_TRACE(limit);
    ClientFixture fixture({.max_header_bytes = limit});
    const int32_t id = fixture.OpenAndSend();
    fixture.Receive(fixture.peer().Headers(id, response));
    const std::vector<Frame> frames = fixture.Take();
    if (limit == 101) {
      EXPECT_THAT(frames, IsEmpty());
      EXPECT_THAT(fixture.stream(id).log(),
                  ElementsAre("headers :status=200 a=" + std::string(26, 'x')));
    } else {
      EXPECT_THAT(frames, ElementsAre(IsFrame(FrameType::kRstStream, id)));
      EXPECT_THAT(fixture.stream(id).log(), ElementsAre(HasSubstr("header limit")));
    }
  }
}

TEST(ClientSession, CountsTheLimitOfHeadersPerBlock) {
  ClientFixture fixture({.max_header_bytes = 101});
  const int32_t id = fixture.OpenAndSend(EndStream::kYes);
  const Header field = {"a", std::string(26, 'x')};
  fixture.Receive(fixture.peer().Headers(id, {{":status", "103"}, field}));
  fixture.Receive(fixture.peer().Headers(id, {{":status", "200"}, field}));
  fixture.Receive(fixture.peer().Headers(id, {field, {"b", ""}}, kFlagEndStream));
  EXPECT_THAT(fixture.stream(id).log(),
              ElementsAre("headers :status=200 a=" + field.value,
                          "headers a=" + field.value + " b=", "end", "closed 0"));
}

TEST(ClientSession, ReadsTheNextStreamBehindOneWithTooManyHeaders) {
  ClientFixture fixture({.max_header_bytes = 200});
  const int32_t big = fixture.OpenAndSend();
  const int32_t good = fixture.OpenAndSend();
  fixture.Receive(fixture.peer().Headers(
      big, {{":status", "200"}, {"x-long", std::string(1000, 'x')}, {"x-next", "1"}}));
  // The compression state covers the fields that were not reported.
  fixture.Receive(fixture.peer().Headers(good, {{":status", "200"}, {"x-next", "1"}}));
  EXPECT_THAT(fixture.stream(good).log(), ElementsAre("headers :status=200 x-next=1"));
  fixture.Take();
  EXPECT_THAT(fixture.stream(big).log(), ElementsAre(HasSubstr("header limit")));
}

TEST(ClientSession, AcceptsHeadersUpToTheDefaultLimit) {
  ClientFixture fixture;
  const int32_t id = fixture.OpenAndSend();
  // '~' is 13 bits long in the Huffman code, so that the field is sent as it is.
  Headers response = {{":status", "200"}};
  for (int i = 0; i < 8; ++i) response.Add("x-" + std::to_string(i), std::string(32000, '~'));
  fixture.Receive(fixture.peer().Headers(id, response));
  ASSERT_THAT(fixture.stream(id).log(), SizeIs(1));
  EXPECT_GT(fixture.stream(id).log()[0].size(), 8u * 32000u);
}

TEST(ClientSession, ReadsAFieldOfSixtyFourKibibytesAndLosesTheConnectionToALongerOne) {
  const struct {
    const char* name;
    std::string value;
    bool read;
  } kCases[] = {
      {"as it is", std::string(65536, '~'), true},
      {"one byte more", std::string(65537, '~'), false},
      // 5 bits each in the Huffman code.
      {"shorter as it is encoded", std::string(100'000, '0'), true},
      {"also longer as it is encoded", std::string(110'000, '0'), false},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    ClientFixture fixture;
    const int32_t id = fixture.OpenAndSend();
    const std::string frames = fixture.peer().Headers(id, {{":status", "200"}, {"a", c.value}});
    if (c.read) {
      fixture.Receive(frames);
      EXPECT_THAT(fixture.stream(id).log(), ElementsAre("headers :status=200 a=" + c.value));
      continue;
    }
    EXPECT_THAT(fixture.session().Receive(frames),
                StatusIs(absl::StatusCode::kInternal, HasSubstr("a header of over 65536 bytes")));
    EXPECT_THAT(fixture.Take(), ElementsAre(IsFrame(FrameType::kGoAway, 0)));
  }
}

TEST(ClientSession, ResetsAStreamWhoseResponseIsMalformed) {
  const struct {
    const char* name;
    Headers headers;
  } kCases[] = {
      {"no status", {{"a", "b"}}},
      {"field of a connection", {{":status", "200"}, {"connection", "close"}}},
      {"unknown pseudo header", {{":status", "200"}, {":other", "x"}}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    ClientFixture fixture;
    const int32_t id = fixture.OpenAndSend();
    fixture.Receive(fixture.peer().Headers(id, c.headers));
    EXPECT_THAT(fixture.Take(), ElementsAre(IsReset(id, kProtocolErrorCode)));
    EXPECT_THAT(fixture.stream(id).log(), ElementsAre("closed 1"));
  }
}

TEST(ClientSession, AnswersPingAndReportsTheAnswerToItsOwn) {
  ClientFixture fixture;
  fixture.Receive(FrameScript::Ping("12345678"));
  std::vector<Frame> frames = fixture.Take();
  ASSERT_THAT(frames, ElementsAre(IsFrame(FrameType::kPing, 0)));
  EXPECT_TRUE(frames[0].has(kFlagAck));
  EXPECT_EQ(frames[0].payload, "12345678");
  EXPECT_THAT(fixture.log(), ElementsAre("settings"));

  fixture.session().Ping();
  frames = fixture.Take();
  ASSERT_THAT(frames, ElementsAre(IsFrame(FrameType::kPing, 0)));
  EXPECT_FALSE(frames[0].has(kFlagAck));
  fixture.Receive(FrameScript::Ping(frames[0].payload, kFlagAck));
  EXPECT_THAT(fixture.Take(), IsEmpty());
}

TEST(ClientSession, IgnoresFramesOfUnknownType) {
  ClientFixture fixture;
  const int32_t id = fixture.OpenAndSend();
  fixture.Receive(EncodeFrame(static_cast<FrameType>(0xBE), 0xFF, id, "whatever") +
                  fixture.peer().Headers(id, {{":status", "200"}}));
  EXPECT_THAT(fixture.stream(id).log(), ElementsAre("headers :status=200"));
  EXPECT_THAT(fixture.Take(), IsEmpty());
}

// Each breaks the whole connection (RFC 9113, 5.4.1), however it is split.
TEST(ClientSession, RefusesBrokenFramesAtEverySplit) {
  FrameScript peer;
  const std::string response = peer.Headers(1, {{":status", "200"}});
  const struct {
    const char* name;
    std::string bytes;
  } kCases[] = {
      {"no settings first", FrameScript::Ping("12345678")},
      {"answer of HTTP/1.1", "HTTP/1.1 400 Bad Request\r\n\r\n"},
      {"settings of a broken size", EncodeFrame(FrameType::kSettings, 0, 0, "abc")},
      {"settings on a stream", EncodeFrame(FrameType::kSettings, 0, 1, "")},
      {"window of 2^31", FrameScript::Settings({{test::kSettingInitialWindowSize, 0x80000000}})},
      {"frame over the limit",
       FrameScript::Settings() +
           std::string(EncodeFrame(FrameType::kData, 0, 1, std::string(16385, 'x')), 0, 20)},
      {"data on stream 0", FrameScript::Settings() + FrameScript::Data(0, "x")},
      {"data on an idle stream", FrameScript::Settings() + FrameScript::Data(3, "x")},
      {"headers on stream 0",
       FrameScript::Settings() + EncodeFrame(FrameType::kHeaders, 4, 0, "\x88")},
      {"headers that the peer's side opens",
       FrameScript::Settings() + EncodeFrame(FrameType::kHeaders, 4, 2, "\x88")},
      {"broken header compression",
       FrameScript::Settings() +
           EncodeFrame(FrameType::kHeaders, 4, 1, "\xFF\xFF\xFF\xFF\xFF\x7F")},
      {"index that is not in the table",
       FrameScript::Settings() + EncodeFrame(FrameType::kHeaders, 4, 1, "\xFE")},
      {"continuation without headers",
       FrameScript::Settings() + EncodeFrame(FrameType::kContinuation, 4, 1, "\x88")},
      {"data inside a header block", FrameScript::Settings() +
                                         EncodeFrame(FrameType::kHeaders, 0, 1, "\x88") +
                                         FrameScript::Data(1, "x")},
      {"padding over the frame",
       FrameScript::Settings() + response +
           FrameScript::Data(1, std::string_view("\x05xy", 3), kFlagPadded)},
      {"ping of seven bytes", FrameScript::Settings() + FrameScript::Ping("1234567")},
      {"reset of three bytes",
       FrameScript::Settings() + EncodeFrame(FrameType::kRstStream, 0, 1, "abc")},
      {"reset of an idle stream", FrameScript::Settings() + FrameScript::RstStream(3, 8)},
      {"goaway of four bytes",
       FrameScript::Settings() + EncodeFrame(FrameType::kGoAway, 0, 0, "abcd")},
      {"window update of 0 on the connection",
       FrameScript::Settings() + FrameScript::WindowUpdate(0, 0)},
      {"window over 2^31-1", FrameScript::Settings() + FrameScript::WindowUpdate(0, 0x7FFFFFFF)},
      {"push promise",
       FrameScript::Settings() + FrameScript::SettingsAck() +
           EncodeFrame(FrameType::kPushPromise, 4, 1, std::string_view("\0\0\0\2\x82", 5))},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    ForEachSplit(c.bytes, [&](const std::vector<std::string_view>& pieces) {
      Fixture fixture({});
      const int32_t id = fixture.Open(kRequest, EndStream::kNo);
      fixture.Take();
      absl::Status status;
      for (std::string_view piece : pieces) {
        if (status.ok()) status = fixture.session().Receive(piece);
      }
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kInternal, HasSubstr("HTTP/2")));
      EXPECT_THAT(connect::GetErrorInfo(status),
                  Optional(Field(&ErrorInfo::origin, ErrorOrigin::kProtocol)));
      const std::vector<Frame> frames = fixture.Take();
      EXPECT_EQ(Count(frames, FrameType::kGoAway), 1u);
      for (const std::string& line : fixture.stream(id).log()) {
        EXPECT_EQ(line.find("data"), std::string::npos) << line;
      }
    });
  }
}

TEST(ClientSession, StaysFailedBehindABrokenFrame) {
  ClientFixture fixture;
  const int32_t id = fixture.OpenAndSend();
  EXPECT_THAT(fixture.session().Receive(FrameScript::Data(0, "x")),
              StatusIs(absl::StatusCode::kInternal));
  fixture.Take();
  EXPECT_THAT(fixture.session().Receive(fixture.peer().Headers(id, {{":status", "200"}})),
              StatusIs(absl::StatusCode::kInternal));
  for (const std::string& line : fixture.stream(id).log()) {
    EXPECT_EQ(line.find("headers"), std::string::npos) << line;
  }
}

TEST(ClientSession, ReportsAViolationThatWaitedBehindItsOwnOutput) {
  ClientFixture fixture;
  const int32_t id = fixture.OpenAndSend();
  fixture.session().Write(id, std::string(2 * kInitialWindow, 'x'));
  // The transport is stuck: nothing is taken, while the peer sends on.
  for (int i = 0; i < 10; ++i) fixture.Receive(FrameScript::Ping("12345678"));
  const absl::Status received = fixture.session().Receive(FrameScript::Data(0, "x"));
  std::string bytes;
  const absl::Status taken = fixture.session().TakeOutput(kEverything, bytes);
  // One of the two says so, and the GOAWAY is there.
  EXPECT_THAT(received.ok() ? taken : received, StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(fixture.peer().Read(bytes), Contains(IsGoAway(kProtocolErrorCode)));
  EXPECT_THAT(fixture.session().TakeOutput(kEverything, bytes), IsOk());
  EXPECT_THAT(fixture.session().Receive(FrameScript::Ping("12345678")),
              StatusIs(absl::StatusCode::kInternal));
}

// nghttp2 takes a GOAWAY after its own, and drops it.
TEST(ClientSession, ReportsAViolationBehindWhichAGoAwayWasSubmitted) {
  ClientFixture fixture;
  const int32_t id = fixture.OpenAndSend();
  fixture.session().Write(id, std::string(2 * kInitialWindow, 'x'));
  for (int i = 0; i < 10; ++i) fixture.Receive(FrameScript::Ping("12345678"));
  const absl::Status received = fixture.session().Receive(FrameScript::Data(0, "x"));
  fixture.session().SendGoAway(kNoError, "bye");
  std::string bytes;
  const absl::Status taken = fixture.session().TakeOutput(kEverything, bytes);
  EXPECT_THAT(received.ok() ? taken : received, StatusIs(absl::StatusCode::kInternal));
  EXPECT_THAT(fixture.session().Receive(FrameScript::Ping("12345678")),
              StatusIs(absl::StatusCode::kInternal));
}

}  // namespace
}  // namespace cursorwire::h2
