#include "h2/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cursorwire/connect/error_info.h"
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
using test::IsOkAndHolds;
using test::kEnhanceYourCalm;
using test::kFlagAck;
using test::kFlagEndStream;
using test::kFlagPadded;
using test::kInitialWindow;
using test::kInternalErrorCode;
using test::kProtocolErrorCode;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Optional;
using ::testing::Property;
using ::testing::SizeIs;

constexpr size_t kEverything = std::numeric_limits<size_t>::max();
constexpr uint32_t kFlowControlError = 0x3;

// What happened, one line a call. DATA is joined, since a split may cut it anywhere.
class Recorder : public StreamVisitor {
 public:
  void OnHeaders(Headers headers) override {
    EndData();
    std::string line = "headers";
    for (const Header& field : headers) line += " " + field.name + "=" + field.value;
    log_.push_back(std::move(line));
  }
  void OnData(std::string_view bytes) override {
    EXPECT_FALSE(bytes.empty());
    data_ += bytes;
    data_bytes_ += bytes.size();
  }
  void OnRemoteEnd() override {
    EndData();
    log_.push_back("end");
  }
  void OnClosed(const StreamClose& close) override {
    EndData();
    log_.push_back("closed " + std::to_string(close.http2_code) +
                   (close.by_peer ? " by peer" : "") + (close.header_limit ? " header limit" : ""));
  }

  const std::vector<std::string>& log() {
    EndData();
    return log_;
  }
  size_t data_bytes() const { return data_bytes_; }

 private:
  void EndData() {
    if (data_.empty()) return;
    log_.push_back("data " + std::exchange(data_, std::string()));
  }

  std::vector<std::string> log_;
  std::string data_;
  size_t data_bytes_ = 0;
};

// A session under test and the frames of its peer.
class Fixture : private SessionVisitor {
 public:
  explicit Fixture(const SessionOptions& options) : session_(options, *this) {}

  Session& session() { return session_; }
  FrameScript& peer() { return peer_; }
  Recorder& stream(int32_t id) { return streams_[id]; }
  const std::vector<std::string>& log() const { return log_; }
  void RefuseStreams() { refuse_ = true; }

  int32_t Open(const Headers& headers, EndStream end) {
    const int32_t id = next_id_;
    next_id_ += 2;
    EXPECT_THAT(session_.SubmitRequest(headers, end, streams_[id]), IsOkAndHolds(id));
    return id;
  }

  void Receive(std::string_view bytes) { EXPECT_THAT(session_.Receive(bytes), IsOk()); }

  std::string TakeBytes() {
    std::string bytes;
    EXPECT_THAT(session_.TakeOutput(kEverything, bytes), IsOk());
    return bytes;
  }
  std::vector<Frame> Take() { return peer_.Read(TakeBytes()); }

 private:
  StreamVisitor* OnStreamOpened(int32_t stream_id) override {
    log_.push_back("opened " + std::to_string(stream_id));
    return refuse_ ? nullptr : &streams_[stream_id];
  }
  void OnGoAway(GoAway goaway) override {
    log_.push_back("goaway " + std::to_string(goaway.last_stream_id) + " " +
                   std::to_string(goaway.http2_code) + " " + goaway.debug_data);
  }
  void OnSettings() override { log_.push_back("settings"); }

  FrameScript peer_;
  std::map<int32_t, Recorder> streams_;
  std::vector<std::string> log_;
  int32_t next_id_ = 1;
  bool refuse_ = false;
  Session session_;
};

const Headers kRequest = {{":method", "POST"},
                          {":scheme", "https"},
                          {":authority", "example.com"},
                          {":path", "/a.v1.S/M"},
                          {"content-type", "application/connect+proto"}};
const char kRequestLine[] =
    "headers :method=POST :scheme=https :authority=example.com :path=/a.v1.S/M "
    "content-type=application/connect+proto";

// A client whose preface and settings are out of the way.
class ClientFixture : public Fixture {
 public:
  explicit ClientFixture(const SessionOptions& options = {},
                         const std::string& settings = FrameScript::Settings())
      : Fixture(options) {
    Receive(settings + FrameScript::SettingsAck());
    Take();
  }
  // Opens a stream whose request is sent.
  int32_t OpenAndSend(EndStream end = EndStream::kNo) {
    const int32_t id = Open(kRequest, end);
    Take();
    return id;
  }
};

// Of a header block in several frames, the peer knows with the first.
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

SessionOptions ServerOptions() { return {.role = Role::kServer}; }

// The same for a server.
class ServerFixture : public Fixture {
 public:
  explicit ServerFixture(const SessionOptions& options = ServerOptions(),
                         const std::string& settings = FrameScript::Settings())
      : Fixture(options) {
    Receive(std::string(test::kClientMagic) + settings + FrameScript::SettingsAck());
    Take();
  }
};

auto IsFrame(FrameType type, int32_t stream_id) {
  return AllOf(Field("type", &Frame::type, type), Field("stream_id", &Frame::stream_id, stream_id));
}
auto IsReset(int32_t stream_id, uint32_t code) {
  return AllOf(IsFrame(FrameType::kRstStream, stream_id),
               Property("error_code", &Frame::error_code, code));
}
auto IsGoAway(uint32_t code) {
  return AllOf(IsFrame(FrameType::kGoAway, 0), Property("error_code", &Frame::error_code, code));
}
auto IsWindowUpdate(int32_t stream_id, uint32_t increment) {
  return AllOf(IsFrame(FrameType::kWindowUpdate, stream_id),
               Property("first_word", &Frame::first_word, increment));
}

// The payload of all DATA frames of that stream.
std::string DataOf(const std::vector<Frame>& frames, int32_t stream_id) {
  std::string data;
  for (const Frame& frame : frames) {
    if (frame.type == FrameType::kData && frame.stream_id == stream_id) data += frame.payload;
  }
  return data;
}
size_t Count(const std::vector<Frame>& frames, FrameType type) {
  size_t count = 0;
  for (const Frame& frame : frames) count += frame.type == type ? 1 : 0;
  return count;
}
std::map<uint32_t, uint32_t> SettingsOf(const Frame& frame) {
  std::map<uint32_t, uint32_t> settings;
  for (std::string_view rest = frame.payload; rest.size() >= 6; rest.remove_prefix(6)) {
    settings[test::ReadBigEndian(rest.substr(0, 2))] = test::ReadBigEndian(rest.substr(2, 4));
  }
  return settings;
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
  // The frame that goes over the window may be reported, but none behind it.
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

// nghttp2 takes a GOAWAY behind its own, and drops it.
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

TEST(Session, MayEndWithStreamsOpen) {
  ClientFixture fixture;
  const int32_t id = fixture.OpenAndSend();
  fixture.session().Write(id, "never sent");
}

}  // namespace
}  // namespace cursorwire::h2
