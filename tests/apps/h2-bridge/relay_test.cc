// The relay between a parent and a server of raw frames, with a clock of the test.
#include "relay.h"

#include <gmock/gmock.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "error_envelope.h"
#include "support/frame_script.h"
#include "support/heap_bytes.h"
#include "support/pair.h"

namespace h2_bridge {
namespace {

using cursorwire::connect::Headers;
using cursorwire::test::Frame;
using cursorwire::test::FrameScript;
using cursorwire::test::FrameType;
using cursorwire::test::kFlagEndStream;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr char kOlder[] = R"({"accessToken":"secret-token-1","url":"http://h:1","path":"/p"})";
constexpr char kNewer[] =
    R"({"accessToken":"secret-token-1","url":"http://h:1","path":"/p","persistent":false})";
constexpr char kPersistent[] =
    R"({"accessToken":"secret-token-1","url":"http://h:1","path":"/p","persistent":true})";
constexpr char kUnary[] =
    R"({"accessToken":"secret-token-1","url":"http://h:1","path":"/p","unary":true})";
constexpr char kOpen[] = R"({"cmd":"open"})";
constexpr std::string_view kDone = "PI_CURSOR_STREAM_DONE";

std::string Message(std::string_view bytes) {
  const auto prefix = FramePrefix(static_cast<uint32_t>(bytes.size()));
  return std::string(prefix.data(), prefix.size()) + std::string(bytes);
}

// The host sends all that waits for the server.
void Flush(Relay& relay, cursorwire::connect::TimePoint now) {
  while (!relay.network_output().empty()) {
    relay.ConsumeNetworkOutput(relay.network_output().size(), now);
  }
}

class RecordingHost final : public RelayHost {
 public:
  void Diagnose(std::string_view line) override { lines.emplace_back(line); }
  void Log(std::string_view line) override { log += std::string(line) + "\n"; }
  std::string NewRequestId() override { return "id-" + std::to_string(++ids_); }

  std::vector<std::string> lines;
  std::string log;

 private:
  int ids_ = 0;
};

class BridgeRelay : public testing::Test {
 protected:
  // The configuration, and a server that is up.
  void Start(std::string_view config) {
    Send(config);
    EXPECT_TRUE(relay_.TakeTarget().has_value());
    FromServer(FrameScript::Settings());
    sent_ = Requests();
    FromServer(FrameScript::SettingsAck());
  }
  void Send(std::string_view message) { relay_.OnInput(Message(message), now_); }
  void EndInput() { relay_.OnInputEnd(now_); }
  void FromServer(std::string_view bytes) { relay_.OnNetworkInput(bytes, now_); }
  void Answer(int32_t stream, int status = 200, const Headers& more = {}) {
    Headers head = {{":status", std::to_string(status)}};
    for (const auto& field : more) head.Add(field.name, field.value);
    FromServer(script_.Headers(stream, head));
  }
  void EndStream(int32_t stream) { FromServer(FrameScript::Data(stream, "", kFlagEndStream)); }

  // What the bridge sent since the last call: all frames but WINDOW_UPDATE and SETTINGS.
  std::vector<Frame> Requests() {
    std::string bytes;
    for (auto out = relay_.network_output(); !out.empty(); out = relay_.network_output()) {
      bytes += out;
      relay_.ConsumeNetworkOutput(out.size(), now_);
    }
    std::vector<Frame> frames;
    for (Frame& frame : script_.Read(bytes)) {
      if (frame.type == FrameType::kWindowUpdate || frame.type == FrameType::kSettings) continue;
      frames.push_back(std::move(frame));
    }
    return frames;
  }
  // The messages for the parent, which reads all.
  std::vector<std::string> Read() {
    std::string bytes;
    while (!relay_.parent_output().empty()) {
      bytes += relay_.parent_output();
      relay_.ConsumeParentOutput(relay_.parent_output().size(), now_);
    }
    std::vector<std::string> messages;
    FrameParser parser;
    std::string_view input = bytes;
    for (;;) {
      const auto piece = parser.Next(input);
      EXPECT_TRUE(piece.ok());
      if (!piece.ok() || !piece->has_value()) break;
      if ((*piece)->first) messages.emplace_back();
      messages.back() += (*piece)->bytes;
    }
    return messages;
  }
  void Advance(milliseconds time) {
    now_ += time;
    relay_.OnDeadline(now_);
  }
  // Nothing is due before `time` has passed, and something is then.
  void ExpectDueIn(milliseconds time) {
    ASSERT_TRUE(relay_.NextDeadline().has_value());
    EXPECT_EQ(*relay_.NextDeadline() - now_, time);
  }
  std::optional<int> code() const { return relay_.exit_code(); }

  RecordingHost host_;
  cursorwire::connect::TimePoint now_ = cursorwire::test::StartOfTime();
  FrameScript script_;
  std::vector<Frame> sent_;  // with the configuration
  Relay relay_{{.client_version = "cli-test", .allow_plaintext = true}, host_};
};

// --- requests

TEST_F(BridgeRelay, OpensTheRequestBehindTheConfigurationAlone) {
  Start(kOlder);
  ASSERT_THAT(sent_, SizeIs(1));
  EXPECT_EQ(sent_[0].type, FrameType::kHeaders);
  EXPECT_FALSE(sent_[0].has(kFlagEndStream));
  const Headers expected = {{":method", "POST"},
                            {":scheme", "http"},
                            {":authority", "h:1"},
                            {":path", "/p"},
                            {"content-type", "application/connect+proto"},
                            {"connect-protocol-version", "1"},
                            {"te", "trailers"},
                            {"authorization", "Bearer secret-token-1"},
                            {"x-ghost-mode", "true"},
                            {"x-cursor-client-version", "cli-test"},
                            {"x-cursor-client-type", "cli"},
                            {"x-request-id", "id-1"}};
  EXPECT_EQ(sent_[0].headers, expected);
}

TEST_F(BridgeRelay, HandsMessagesOnAsTheyAre) {
  Start(kOlder);
  Send("one");
  Send("{\"cmd\":\"open\"}");  // bytes like any other for a parent without sessions
  const auto frames = Requests();
  std::string body;
  for (const Frame& frame : frames) body += frame.payload;
  EXPECT_EQ(body, "one{\"cmd\":\"open\"}");
}

TEST_F(BridgeRelay, HandsAMessageOnBeforeItIsComplete) {
  Start(kOlder);
  relay_.OnInput(Message(std::string(100, 'x')).substr(0, 14), now_);
  const auto frames = Requests();
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(frames[0].payload, std::string(10, 'x'));
}

TEST_F(BridgeRelay, LongInputIsRefused) {
  Start(kOlder);
  const auto prefix = FramePrefix(70 * 1024 * 1024);
  relay_.OnInput({prefix.data(), prefix.size()}, now_);
  EXPECT_EQ(code(), 1);
  EXPECT_THAT(host_.lines, ElementsAre(HasSubstr("[h2-bridge] stdin error: ")));
}

TEST_F(BridgeRelay, LongConfigurationIsRefusedOnItsLength) {
  const auto prefix = FramePrefix(kMaxCommandBytes + 1);
  relay_.OnInput(std::string(prefix.data(), prefix.size()) + "{", now_);
  EXPECT_EQ(code(), 1);
  EXPECT_THAT(host_.lines, ElementsAre(HasSubstr("over the limit of 1048576")));
}

TEST_F(BridgeRelay, InputWaitsForTheServersWindow) {
  Start(kOlder);
  EXPECT_TRUE(relay_.wants_input());
  Send(std::string(400 * 1024, 'x'));
  (void)Requests();
  EXPECT_FALSE(relay_.wants_input());
  FromServer(FrameScript::WindowUpdate(1, 400 * 1024) + FrameScript::WindowUpdate(0, 400 * 1024));
  (void)Requests();
  EXPECT_TRUE(relay_.wants_input());
}

// --- lifetimes

TEST_F(BridgeRelay, OlderParentGetsTheWholeResponse) {
  Start(kOlder);
  Send("");
  EndInput();
  ASSERT_THAT(Requests(), SizeIs(1)) << "one end of the request";
  Answer(1);
  FromServer(FrameScript::Data(1, "abc"));
  EXPECT_THAT(Read(), ElementsAre("abc"));
  Advance(std::chrono::seconds(30));
  EXPECT_EQ(code(), std::nullopt);
  EndStream(1);
  EXPECT_THAT(Read(), IsEmpty());
  EXPECT_EQ(code(), 0);
  EXPECT_THAT(host_.lines, IsEmpty());
}

TEST_F(BridgeRelay, EndOfInputEndsTheRequestOfAnOlderParent) {
  Start(kOlder);
  EndInput();
  const auto frames = Requests();
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_TRUE(frames[0].has(kFlagEndStream));
  EXPECT_EQ(code(), std::nullopt);
}

TEST_F(BridgeRelay, SendsNoTokenToOtherMachinesInTheClear) {
  RecordingHost host;
  Relay relay({}, host);
  relay.OnInput(Message(R"({"accessToken":"secret-token-1","url":"http://h:1","path":"/p"})"),
                now_);
  EXPECT_EQ(relay.exit_code(), kExitFailure);
  EXPECT_FALSE(relay.TakeTarget().has_value());
  Relay local({}, host);
  local.OnInput(Message(R"({"accessToken":"t","url":"http://127.0.0.1:1","path":"/p"})"), now_);
  EXPECT_EQ(local.exit_code(), std::nullopt);
}

TEST_F(BridgeRelay, NewerParentWithoutSessionHasAMoment) {
  for (const bool by_message : {true, false}) {
    SCOPED_TRACE(by_message);
    RecordingHost host;
    Relay relay({.allow_plaintext = true}, host);
    relay.OnInput(Message(kNewer), now_);
    relay.OnNetworkInput(FrameScript::Settings(), now_);
    Flush(relay, now_);
    if (by_message) {
      relay.OnInput(Message(""), now_);
    } else {
      relay.OnInputEnd(now_);
    }
    relay.OnDeadline(now_ + milliseconds(100));
    EXPECT_EQ(relay.exit_code(), std::nullopt) << "before the end of the request has left";
    Flush(relay, now_);
    EXPECT_EQ(relay.NextDeadline(), now_ + milliseconds(100));
    relay.OnDeadline(now_ + milliseconds(99));
    EXPECT_EQ(relay.exit_code(), std::nullopt);
    relay.OnDeadline(now_ + milliseconds(100));
    EXPECT_EQ(relay.exit_code(), 0);
    EXPECT_THAT(host.lines, IsEmpty());
  }
}

TEST_F(BridgeRelay, NewerParentGetsWhatComesInThatMoment) {
  Start(kNewer);
  Send("");
  Answer(1);
  FromServer(FrameScript::Data(1, "late", kFlagEndStream));
  EXPECT_EQ(code(), std::nullopt) << "not before the parent has read it";
  EXPECT_THAT(Read(), ElementsAre("late"));
  EXPECT_EQ(code(), 0);
}

TEST_F(BridgeRelay, MomentIsNotLongerForAParentThatDoesNotRead) {
  Start(kNewer);
  Answer(1);
  FromServer(FrameScript::Data(1, "late"));
  Send("");
  Flush(relay_, now_);
  Advance(milliseconds(100));
  EXPECT_EQ(code(), 0);
}

TEST_F(BridgeRelay, MomentBeginsWhenTheRequestHasLeft) {
  for (const bool session : {true, false}) {
    SCOPED_TRACE(session);
    RecordingHost host;
    Relay relay({.allow_plaintext = true}, host);
    relay.OnInput(Message(session ? kPersistent : kNewer), now_);
    relay.OnInput(Message(std::string(100'000, 'x')) + Message(""), now_);
    if (session) relay.OnInputEnd(now_);
    relay.OnDeadline(now_ + milliseconds(200));
    relay.OnNetworkInput(FrameScript::Settings(), now_);
    Flush(relay, now_);
    relay.OnDeadline(now_ + milliseconds(400));
    EXPECT_EQ(relay.exit_code(), std::nullopt) << "the server's window is 65,535 bytes";
    relay.OnNetworkInput(
        FrameScript::WindowUpdate(1, 1 << 20) + FrameScript::WindowUpdate(0, 1 << 20), now_);
    Flush(relay, now_);
    EXPECT_EQ(relay.NextDeadline(), now_ + milliseconds(100));
    relay.OnDeadline(now_ + milliseconds(100));
    EXPECT_EQ(relay.exit_code(), 0);
    EXPECT_THAT(host.lines, IsEmpty());
  }
}

TEST_F(BridgeRelay, RequestThatNeverLeavesIsAFailure) {
  for (const char* more : {"", R"(,"connectTimeoutMs":0)"}) {
    for (const bool up : {false, true}) {
      SCOPED_TRACE(std::string(more) + (up ? " up" : ""));
      RecordingHost host;
      Relay relay({.allow_plaintext = true}, host);
      relay.OnInput(Message(R"({"url":"http://h:1","pingIntervalMs":0,"persistent":false)" +
                            std::string(more) + "}"),
                    now_);
      if (up) relay.OnNetworkInput(FrameScript::Settings(), now_);
      relay.OnInput(Message(std::string(100'000, 'x')) + Message(""), now_);
      Flush(relay, now_);
      EXPECT_EQ(relay.NextDeadline(), now_ + milliseconds(30'000));
      relay.OnDeadline(now_ + milliseconds(30'000));
      EXPECT_EQ(relay.exit_code(), 1);
      EXPECT_THAT(host.lines, ElementsAre(HasSubstr("[h2-bridge] client error: ")));
    }
  }
}

TEST_F(BridgeRelay, ParentThatIsGoneBehindItsBytesIsWaitedForNoLonger) {
  for (const char* config : {kOlder, kNewer, kPersistent}) {
    SCOPED_TRACE(config);
    RecordingHost host;
    Relay relay({.allow_plaintext = true}, host);
    relay.OnInput(Message(config), now_);
    relay.OnNetworkInput(FrameScript::Settings(), now_);
    relay.OnInput(Message(std::string(400'000, 'x')), now_);
    Flush(relay, now_);
    EXPECT_FALSE(relay.wants_input());
    relay.OnInputHangUp(now_);
    relay.OnInputHangUp(now_ + milliseconds(1));
    relay.OnDeadline(now_ + milliseconds(29'999));
    EXPECT_EQ(relay.exit_code(), std::nullopt);
    relay.OnDeadline(now_ + milliseconds(30'000));
    EXPECT_EQ(relay.exit_code(), config == kOlder ? std::nullopt : std::optional<int>(1));
  }
}

TEST_F(BridgeRelay, ParentThatIsGoneBehindUnreadAnswersHasAMoment) {
  Start(kPersistent);
  Answer(1);
  FromServer(FrameScript::Data(1, "answer", kFlagEndStream));
  relay_.OnInputHangUp(now_);
  Advance(milliseconds(99));
  EXPECT_EQ(code(), std::nullopt);
  Advance(milliseconds(1));
  EXPECT_EQ(code(), 0);
}

TEST_F(BridgeRelay, HttpErrorIsToldAtTheEndOfTheMoment) {
  Start(kNewer);
  Send("");
  Flush(relay_, now_);
  Answer(1, 401);
  FromServer(FrameScript::Data(1, "half"));
  Advance(milliseconds(100));
  EXPECT_EQ(relay_.parent_output(), Message(ErrorEnvelope("http_401", "Cursor HTTP 401: half")));
  EXPECT_EQ(code(), 1);
}

TEST_F(BridgeRelay, ResponseThatEndsBeforeTheRequestIsTheEnd) {
  Start(kOlder);
  Send("begun");
  Answer(1);
  EndStream(1);
  EXPECT_EQ(code(), 0);
}

TEST_F(BridgeRelay, SlowParentGetsAllOfAResponse) {
  Start(kOlder);
  Answer(1);
  FromServer(FrameScript::Data(1, "abc", kFlagEndStream));
  Advance(std::chrono::hours(1));
  EXPECT_EQ(code(), std::nullopt);
  EXPECT_THAT(Read(), ElementsAre("abc"));
  EXPECT_EQ(code(), 0);
}

TEST_F(BridgeRelay, UnaryRequestIsOneMessage) {
  for (const char* body : {"", "body"}) {
    SCOPED_TRACE(body);
    RecordingHost host;
    Relay relay({.allow_plaintext = true}, host);
    relay.OnInput(Message(kUnary) + Message(body) + Message("another"), now_);
    relay.OnInputEnd(now_);
    FrameScript script;
    relay.OnNetworkInput(FrameScript::Settings(), now_);
    std::string bytes;
    for (auto out = relay.network_output(); !out.empty(); out = relay.network_output()) {
      bytes += out;
      relay.ConsumeNetworkOutput(out.size(), now_);
    }
    std::string data;
    bool ended = false;
    for (const Frame& frame : script.Read(bytes)) {
      if (frame.type == FrameType::kHeaders) {
        EXPECT_EQ(frame.headers.Get("content-type"), "application/proto");
      }
      if (frame.type == FrameType::kData) data += frame.payload;
      ended = ended || (frame.has(kFlagEndStream) && frame.stream_id == 1);
    }
    EXPECT_EQ(data, body);
    EXPECT_TRUE(ended);
    EXPECT_EQ(relay.exit_code(), std::nullopt);
    relay.OnNetworkInput(script.Headers(1, {{":status", "200"}}), now_);
    relay.OnNetworkInput(FrameScript::Data(1, "", kFlagEndStream), now_);
    EXPECT_EQ(relay.exit_code(), 0);
  }
}

TEST_F(BridgeRelay, InputThatEndsTooEarlyIsAFailure) {
  const std::string half = Message("ab").substr(0, 5);
  const struct {
    const char* name;
    std::string input;
  } cases[] = {{"nothing", ""},
               {"part of the configuration", Message(kOlder).substr(0, 20)},
               {"unary without a request", Message(kUnary)},
               {"within a message", Message(kOlder) + half},
               {"within a prefix", Message(kPersistent) + half.substr(0, 3)}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    RecordingHost host;
    Relay relay({.allow_plaintext = true}, host);
    relay.OnInput(c.input, now_);
    relay.OnInputEnd(now_);
    EXPECT_EQ(relay.exit_code(), 1);
    EXPECT_THAT(host.lines, ElementsAre(HasSubstr("[h2-bridge] stdin ended ")));
  }
}

// --- persistent sessions

TEST_F(BridgeRelay, PersistentSessionSaysDoneAndOpensTheNextRun) {
  Start(kPersistent);
  for (int run = 0; run < 3; ++run) {
    SCOPED_TRACE(run);
    const int32_t stream = 1 + 2 * run;
    Send("question");
    Answer(stream);
    FromServer(FrameScript::Data(stream, "answer", kFlagEndStream));
    EXPECT_THAT(Read(), ElementsAre("answer", kDone));
    EXPECT_EQ(code(), std::nullopt);
    (void)Requests();
    Send("late heartbeat");
    Send("");
    EXPECT_THAT(Requests(), IsEmpty()) << "dropped";
    Send(kOpen);
    const auto frames = Requests();
    ASSERT_THAT(frames, SizeIs(1));
    EXPECT_EQ(frames[0].stream_id, stream + 2);
    EXPECT_EQ(frames[0].headers.Get("x-request-id"), "id-" + std::to_string(run + 2));
    EXPECT_EQ(frames[0].headers.Get(":path"), "/p");
  }
}

TEST_F(BridgeRelay, OpenMayHaveATokenOfItsOwn) {
  Start(kPersistent);
  const struct {
    const char* command;
    const char* credentials;
  } cases[] = {{R"({"cmd":"open","accessToken":"other"})", "Bearer other"},
               {R"({"cmd":"open","accessToken":""})", "Bearer secret-token-1"},
               {kOpen, "Bearer secret-token-1"}};
  int32_t stream = 1;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.command);
    Answer(stream);
    EndStream(stream);
    (void)Requests();
    Send(c.command);
    const auto frames = Requests();
    ASSERT_THAT(frames, SizeIs(1));
    EXPECT_EQ(frames[0].headers.Get("authorization"), c.credentials);
    stream += 2;
  }
}

TEST_F(BridgeRelay, BraceThatIsNoCommandIsBodyBytes) {
  Start(kPersistent);
  Send("{not json");
  Send(R"({"cmd":"close"})");
  const std::string large = "{" + std::string(kMaxCommandBytes, ' ') + "}";
  Send(large);
  std::string body;
  FromServer(FrameScript::WindowUpdate(1, 1 << 21) + FrameScript::WindowUpdate(0, 1 << 21));
  for (const Frame& frame : Requests()) body += frame.payload;
  EXPECT_EQ(body, "{not json{\"cmd\":\"close\"}" + large);
}

TEST_F(BridgeRelay, OpenOverTheLimitIsNoCommand) {
  Start(kPersistent);
  Answer(1);
  EndStream(1);
  (void)Requests();
  std::string open = R"({"cmd":"open"})";
  open.insert(1, kMaxCommandBytes - open.size(), ' ');
  Send(" " + open.substr(1));  // of the same length, and no command
  std::string longer = open;
  longer.insert(1, " ");
  Send(longer);
  EXPECT_THAT(Requests(), IsEmpty());
  Send(open);
  EXPECT_THAT(Requests(), SizeIs(1));
}

TEST_F(BridgeRelay, OpenGivesUpTheRunThatGoesOn) {
  Start(kPersistent);
  Answer(1);
  FromServer(FrameScript::Data(1, "old"));
  Send(kOpen);
  Send(kOpen);
  int resets = 0;
  std::vector<int32_t> opened;
  for (const Frame& frame : Requests()) {
    if (frame.type == FrameType::kRstStream) ++resets;
    if (frame.type == FrameType::kHeaders) opened.push_back(frame.stream_id);
  }
  EXPECT_GE(resets, 1);
  EXPECT_THAT(opened, testing::Not(IsEmpty()));
  const int32_t stream = opened.back();
  Answer(stream);
  FromServer(FrameScript::Data(stream, "new", kFlagEndStream));
  EXPECT_THAT(Read(), ElementsAre("new", kDone)) << "nothing of the run that was given up";
}

TEST_F(BridgeRelay, UnreadAnswersAreKeptAndOpenWaitsForThem) {
  Start(kPersistent);
  const std::string piece(16'384, 'x');
  int32_t stream = 1;
  for (; relay_.wants_input() && stream < 200; stream += 2) {
    if (stream > 1) Send(kOpen);
    (void)Requests();
    Answer(stream);
    for (int i = 0; i < 20; ++i) FromServer(FrameScript::Data(stream, piece));
    EndStream(stream);
  }
  EXPECT_EQ(stream, 9) << "four answers of 320 KiB are more than 1 MiB";
  Send(kOpen);  // was read together with the one before
  Send(kOpen);
  std::string expected;
  std::string read;
  for (int run = 0; run < 4; ++run) {
    for (int i = 0; i < 20; ++i) expected += piece;
    expected += kDone;
  }
  for (const std::string& message : Read()) read += message;
  EXPECT_TRUE(read == expected) << "nothing is lost of the runs that are over";
  (void)Requests();
  EXPECT_TRUE(relay_.wants_input());
}

TEST_F(BridgeRelay, ReadingAnOldAnswerGivesNoCreditForTheNextOne) {
  Start(kPersistent);
  const std::string piece(16'384, 'x');
  Answer(1);
  for (int i = 0; i < 40; ++i) FromServer(FrameScript::Data(1, piece));
  EndStream(1);
  const size_t first = relay_.parent_output().size();
  Send(kOpen);
  (void)Requests();
  Answer(3);
  for (int i = 0; i < 40; ++i) FromServer(FrameScript::Data(3, piece));
  relay_.ConsumeParentOutput(first, now_);
  const std::string out(relay_.network_output());
  for (const Frame& frame : script_.Read(out)) {
    EXPECT_FALSE(frame.type == FrameType::kWindowUpdate && frame.stream_id == 3);
  }
}

TEST_F(BridgeRelay, ManyOpensWaitForTheServer) {
  Send(kPersistent);
  size_t opens = 0;
  for (; relay_.wants_input() && opens < 1000; ++opens) Send(kOpen);
  EXPECT_EQ(opens, kMaxOpensAhead);
  FromServer(FrameScript::Settings());
  (void)Requests();
  EXPECT_TRUE(relay_.wants_input());
}

TEST_F(BridgeRelay, TokensOfEarlierRunsAreTakenOutToo) {
  Start(kPersistent);
  for (int run = 1; run < 100; ++run) {
    Send(R"({"cmd":"open","accessToken":"token-of-run-)" + std::to_string(run) + "\"}");
    (void)Requests();
  }
  Answer(199, 401);
  FromServer(
      FrameScript::Data(199, "secret-token-1 token-of-run-40 token-of-run-99", kFlagEndStream));
  EXPECT_THAT(Read(), ElementsAre(HasSubstr("401: (redacted) (redacted) (redacted)")));
}

TEST_F(BridgeRelay, EmptyMessageEndsTheRequestOfASessionOnly) {
  Start(kPersistent);
  Send("");
  const auto frames = Requests();
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_TRUE(frames[0].has(kFlagEndStream));
  Send("too late");
  EXPECT_THAT(Requests(), IsEmpty());
  Advance(std::chrono::hours(1));
  EXPECT_EQ(code(), std::nullopt);
}

TEST_F(BridgeRelay, EndOfInputEndsASession) {
  Start(kPersistent);
  Answer(1);
  EndStream(1);
  EXPECT_THAT(Read(), ElementsAre(kDone));
  EndInput();
  EXPECT_EQ(code(), 0);
}

TEST_F(BridgeRelay, EndOfInputGivesARunOfASessionAMoment) {
  Start(kPersistent);
  Answer(1);
  Flush(relay_, now_);
  EndInput();
  FromServer(FrameScript::Data(1, "last"));
  EXPECT_THAT(Read(), ElementsAre("last"));
  Advance(milliseconds(99));
  EXPECT_EQ(code(), std::nullopt);
  Advance(milliseconds(1));
  EXPECT_EQ(code(), 0);
}

TEST_F(BridgeRelay, LostSessionIsToldWhenItIsOpened) {
  Start(kPersistent);
  Answer(1);
  EndStream(1);
  EXPECT_THAT(Read(), ElementsAre(kDone));
  relay_.OnNetworkEnd(now_);
  EXPECT_EQ(code(), std::nullopt);
  EXPECT_THAT(host_.lines, SizeIs(1));
  Send(kOpen);
  EXPECT_EQ(code(), 1);
  EXPECT_THAT(host_.lines, SizeIs(2));
}

// --- errors

TEST_F(BridgeRelay, ResetIsAFailureBeforeAndBehindTheHeaders) {
  for (const char* config : {kOlder, kNewer, kPersistent, kUnary}) {
    for (const bool answered : {false, true}) {
      SCOPED_TRACE(std::string(config) + (answered ? " answered" : ""));
      RecordingHost host;
      Relay relay({.allow_plaintext = true}, host);
      FrameScript script;
      relay.OnInput(Message(config), now_);
      relay.OnNetworkInput(FrameScript::Settings(), now_);
      Flush(relay, now_);
      if (answered) relay.OnNetworkInput(script.Headers(1, {{":status", "200"}}), now_);
      relay.OnNetworkInput(FrameScript::RstStream(1, 2), now_);
      EXPECT_EQ(relay.exit_code(), 1);
      EXPECT_EQ(relay.parent_output(), "") << "no sentinel";
      EXPECT_THAT(host.lines, ElementsAre(HasSubstr("[h2-bridge] stream error: ")));
    }
  }
}

TEST_F(BridgeRelay, CutIsNeverASuccess) {
  for (const char* config : {kOlder, kNewer, kPersistent, kUnary}) {
    for (const bool answered : {false, true}) {
      SCOPED_TRACE(std::string(config) + (answered ? " answered" : ""));
      RecordingHost host;
      Relay relay({.allow_plaintext = true}, host);
      FrameScript script;
      relay.OnInput(Message(config), now_);
      relay.OnNetworkInput(FrameScript::Settings(), now_);
      Flush(relay, now_);
      if (answered) relay.OnNetworkInput(script.Headers(1, {{":status", "200"}}), now_);
      relay.OnNetworkEnd(now_);
      EXPECT_EQ(relay.exit_code(), answered ? 2 : 1);
      EXPECT_EQ(relay.parent_output(), "") << "no sentinel";
      EXPECT_THAT(host.lines, ElementsAre(HasSubstr("[h2-bridge] client error: ")));
    }
  }
}

TEST_F(BridgeRelay, BrokenHttp2IsAFailure) {
  Start(kOlder);
  Answer(1);
  FromServer(FrameScript::Data(0, "x"));
  EXPECT_EQ(code(), 1);
  EXPECT_THAT(host_.lines, ElementsAre(HasSubstr("[h2-bridge] client error: ")));
}

TEST_F(BridgeRelay, HttpErrorIsOneEndStreamEnvelope) {
  for (const char* config : {kOlder, kNewer, kPersistent, kUnary}) {
    SCOPED_TRACE(config);
    RecordingHost host;
    Relay relay({.allow_plaintext = true}, host);
    FrameScript script;
    relay.OnInput(Message(config), now_);
    relay.OnNetworkInput(FrameScript::Settings(), now_);
    relay.OnNetworkInput(script.Headers(1, {{":status", "401"}}), now_);
    relay.OnNetworkInput(FrameScript::Data(1, " {\"no\":"), now_);
    EXPECT_EQ(relay.parent_output(), "");
    relay.OnNetworkInput(FrameScript::Data(1, "1} ", kFlagEndStream), now_);
    EXPECT_EQ(relay.parent_output(),
              Message(ErrorEnvelope("http_401", "Cursor HTTP 401: {\"no\":1}")));
    relay.ConsumeParentOutput(relay.parent_output().size(), now_);
    EXPECT_EQ(relay.exit_code(), 1);
  }
}

TEST_F(BridgeRelay, HttpErrorHasADecodedTextOfTheServer) {
  Start(kPersistent);
  Answer(1, 503, {{"grpc-message", "over%20load"}});
  // At once: the body would not be told.
  EXPECT_THAT(Read(), ElementsAre(ErrorEnvelope("http_503", "Cursor HTTP 503: over load")));
  EXPECT_EQ(code(), 1);
}

TEST_F(BridgeRelay, HttpErrorNeverRepeatsTheToken) {
  Start(kOlder);
  Answer(1, 401);
  FromServer(FrameScript::Data(1, "bad token secret-token-1!", kFlagEndStream));
  EXPECT_THAT(Read(), ElementsAre(testing::Not(HasSubstr("secret-token-1"))));
}

TEST_F(BridgeRelay, BodyOfAnHttpErrorIsBounded) {
  Start(kOlder);
  Answer(1, 500);
  const std::string piece(16384, 'x');
  for (size_t sent = 0; sent < kMaxErrorDetailBytes; sent += piece.size()) {
    EXPECT_EQ(relay_.parent_output(), "");
    FromServer(FrameScript::Data(1, piece));
  }
  EXPECT_THAT(Read(),
              ElementsAre(ErrorEnvelope(
                  "http_500", "Cursor HTTP 500: " + std::string(kMaxErrorDetailBytes, 'x'))));
  EXPECT_EQ(code(), 1);
}

TEST_F(BridgeRelay, BodyOfAnHttpErrorIsNotWaitedForForEver) {
  Start(kOlder);
  Answer(1, 500);
  FromServer(FrameScript::Data(1, "half"));
  ExpectDueIn(kErrorBodyWait);
  Advance(kErrorBodyWait);
  EXPECT_THAT(Read(), ElementsAre(ErrorEnvelope("http_500", "Cursor HTTP 500: half")));
  EXPECT_EQ(code(), 1);
}

TEST_F(BridgeRelay, HttpErrorThatIsCutIsStillOne) {
  Start(kOlder);
  Answer(1, 502);
  FromServer(FrameScript::Data(1, "half"));
  relay_.OnNetworkEnd(now_);
  EXPECT_THAT(Read(), ElementsAre(ErrorEnvelope("http_502", "Cursor HTTP 502: half")));
  EXPECT_EQ(code(), 1);
}

TEST_F(BridgeRelay, GoAwayCutsTheRunShort) {
  for (const char* config : {kOlder, kNewer, kPersistent}) {
    SCOPED_TRACE(config);
    RecordingHost host;
    Relay relay({.allow_plaintext = true}, host);
    FrameScript script;
    relay.OnInput(Message(config), now_);
    relay.OnNetworkInput(FrameScript::Settings(), now_);
    Flush(relay, now_);
    relay.OnNetworkInput(script.Headers(1, {{":status", "200"}}), now_);
    relay.OnNetworkInput(FrameScript::GoAway(1, 11, "calm\ndown"), now_);
    relay.OnNetworkInput(FrameScript::GoAway(1, 11, "again"), now_);
    EXPECT_THAT(host.lines, ElementsAre("[h2-bridge] GOAWAY errorCode=11 opaque=calm down"));
    const std::string expected = Message(ErrorEnvelope("unavailable", GoAwayMessage(11)));
    EXPECT_EQ(relay.parent_output(), expected);
    EXPECT_THAT(expected, HasSubstr("GOAWAY"));
    EXPECT_THAT(expected, HasSubstr("retriable"));
    relay.ConsumeParentOutput(relay.parent_output().size(), now_);
    EXPECT_EQ(relay.exit_code(), 2);
  }
}

TEST_F(BridgeRelay, GracefulGoAwayLetsTheRunEnd) {
  for (const char* config : {kOlder, kNewer, kPersistent, kUnary}) {
    for (const bool parent_reads : {false, true}) {
      SCOPED_TRACE(std::string(config) + (parent_reads ? " reads" : ""));
      RecordingHost host;
      Relay relay({.allow_plaintext = true}, host);
      FrameScript script;
      relay.OnInput(Message(config), now_);
      relay.OnNetworkInput(FrameScript::Settings(), now_);
      Flush(relay, now_);
      relay.OnNetworkInput(script.Headers(1, {{":status", "200"}}), now_);
      relay.OnNetworkInput(FrameScript::Data(1, "one"), now_);
      if (parent_reads) relay.ConsumeParentOutput(relay.parent_output().size(), now_);
      relay.OnNetworkInput(FrameScript::GoAway(0x7fffffff, 0), now_);
      relay.OnNetworkInput(FrameScript::GoAway(1, 0), now_);
      EXPECT_THAT(host.lines, IsEmpty());
      relay.OnNetworkInput(FrameScript::Data(1, "two", kFlagEndStream), now_);
      const std::string_view output = relay.parent_output();
      EXPECT_THAT(std::string(output), HasSubstr("two"));
      EXPECT_THAT(std::string(output), testing::Not(HasSubstr("unavailable")));
      EXPECT_EQ(output.ends_with(kDone), config == kPersistent);
      relay.ConsumeParentOutput(output.size(), now_);
      EXPECT_EQ(relay.exit_code(), config == kPersistent ? 2 : 0);
      EXPECT_EQ(host.lines.size(), config == kPersistent ? 1u : 0u);
    }
  }
}

TEST_F(BridgeRelay, GracefulGoAwayAndAnIncompleteRunIsALoss) {
  const struct {
    const char* name;
    void (*end)(Relay&, cursorwire::connect::TimePoint);
  } cases[] = {
      {"cut", [](Relay& relay, auto now) { relay.OnNetworkEnd(now); }},
      {"reset",
       [](Relay& relay, auto now) { relay.OnNetworkInput(FrameScript::RstStream(1, 2), now); }},
      {"another GOAWAY",
       [](Relay& relay, auto now) { relay.OnNetworkInput(FrameScript::GoAway(1, 2), now); }},
      {"not covered",
       [](Relay& relay, auto now) { relay.OnNetworkInput(FrameScript::GoAway(0, 0), now); }}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    RecordingHost host;
    Relay relay({.allow_plaintext = true}, host);
    relay.OnInput(Message(kPersistent), now_);
    relay.OnNetworkInput(FrameScript::Settings(), now_);
    Flush(relay, now_);
    relay.OnNetworkInput(FrameScript::GoAway(0x7fffffff, 0), now_);
    EXPECT_EQ(relay.parent_output(), "");
    c.end(relay, now_);
    EXPECT_THAT(std::string(relay.parent_output()), HasSubstr("unavailable"));
    relay.ConsumeParentOutput(relay.parent_output().size(), now_);
    EXPECT_EQ(relay.exit_code(), 2);
    EXPECT_THAT(host.lines, ElementsAre(HasSubstr("[h2-bridge] GOAWAY errorCode=")));
  }
}

TEST_F(BridgeRelay, OpenBehindAGracefulGoAwayIsTold) {
  Start(kPersistent);
  FromServer(FrameScript::GoAway(1, 0));
  EXPECT_EQ(code(), std::nullopt);
  Send(kOpen);
  EXPECT_EQ(code(), 2);
  EXPECT_THAT(host_.lines, ElementsAre("[h2-bridge] GOAWAY errorCode=0 opaque="));
}

TEST_F(BridgeRelay, HttpErrorWinsOverAGoAwayBehindItsHeaders) {
  for (const uint32_t http2_code : {0u, 2u}) {
    SCOPED_TRACE(http2_code);
    RecordingHost host;
    Relay relay({.allow_plaintext = true}, host);
    FrameScript script;
    relay.OnInput(Message(kOlder), now_);
    relay.OnNetworkInput(FrameScript::Settings(), now_);
    Flush(relay, now_);
    relay.OnNetworkInput(script.Headers(1, {{":status", "401"}}), now_);
    relay.OnNetworkInput(FrameScript::GoAway(1, http2_code), now_);
    relay.OnNetworkInput(FrameScript::Data(1, "no", kFlagEndStream), now_);
    EXPECT_EQ(relay.parent_output(), Message(ErrorEnvelope("http_401", "Cursor HTTP 401: no")));
    relay.ConsumeParentOutput(relay.parent_output().size(), now_);
    EXPECT_EQ(relay.exit_code(), 1);
  }
}

TEST_F(BridgeRelay, GoAwayBeforeTheHeadersRefusesTheRun) {
  Start(kPersistent);
  FromServer(FrameScript::GoAway(0, 0));
  EXPECT_THAT(Read(), ElementsAre(ErrorEnvelope("unavailable", GoAwayMessage(0))));
  EXPECT_EQ(code(), 2);
}

TEST_F(BridgeRelay, BytesBeforeAGoAwayComeFirst) {
  Start(kOlder);
  Answer(1);
  FromServer(FrameScript::Data(1, "before") + FrameScript::GoAway(1, 2));
  FromServer(FrameScript::Data(1, "behind"));
  EXPECT_THAT(Read(), ElementsAre("before", ErrorEnvelope("unavailable", GoAwayMessage(2))))
      << "however slowly it is read";
  EXPECT_EQ(code(), 2);
}

TEST_F(BridgeRelay, GoAwayBehindAResponseAddsNothingToIt) {
  Start(kOlder);
  Answer(1);
  FromServer(FrameScript::GoAway(1, 0) + FrameScript::Data(1, "all", kFlagEndStream));
  EXPECT_THAT(Read(), ElementsAre("all"));
  EXPECT_EQ(code(), 0);
}

TEST_F(BridgeRelay, GoAwayBetweenTwoRunsIsNoMessage) {
  Start(kPersistent);
  Answer(1);
  FromServer(FrameScript::Data(1, "all", kFlagEndStream));
  EXPECT_THAT(Read(), ElementsAre("all", kDone));
  FromServer(FrameScript::GoAway(1, 0, "bye"));
  EXPECT_THAT(Read(), IsEmpty());
  EXPECT_EQ(code(), 2);
  EXPECT_THAT(host_.lines, ElementsAre("[h2-bridge] GOAWAY errorCode=0 opaque=bye"));
}

TEST_F(BridgeRelay, BadConfigurationIsAFailure) {
  for (const char* config : {"", "{", "[]", R"({"url":"ftp://h"})"}) {
    SCOPED_TRACE(config);
    RecordingHost host;
    Relay relay({.allow_plaintext = true}, host);
    relay.OnInput(Message(config), now_);
    EXPECT_EQ(relay.exit_code(), 1);
    EXPECT_THAT(host.lines, SizeIs(1));
    EXPECT_FALSE(relay.TakeTarget().has_value());
  }
}

TEST_F(BridgeRelay, NoConnectionIsAFailure) {
  Send(kPersistent);
  relay_.OnNetworkError(absl::UnavailableError("connect to h:1: refused"), now_);
  EXPECT_EQ(code(), 1);
  EXPECT_THAT(host_.lines, ElementsAre("[h2-bridge] client error: connect to h:1: refused"));
}

TEST_F(BridgeRelay, ParentThatDoesNotReadAnyMoreEndsItAll) {
  Start(kOlder);
  Answer(1);
  FromServer(FrameScript::Data(1, "abc"));
  relay_.OnParentGone("nobody reads it");
  EXPECT_EQ(code(), 1);
  EXPECT_THAT(host_.lines, ElementsAre("[h2-bridge] stdout error: nobody reads it"));
}

TEST_F(BridgeRelay, AnswerThatIsNotDeliveredIsNoSuccess) {
  Start(kOlder);
  Answer(1);
  FromServer(FrameScript::Data(1, "abc", kFlagEndStream));
  relay_.ConsumeParentOutput(3, now_);
  relay_.OnParentGone("No space left on device");
  relay_.OnParentGone("No space left on device");
  EXPECT_EQ(code(), 1);
  EXPECT_THAT(host_.lines, ElementsAre("[h2-bridge] stdout error: No space left on device"));
}

// --- back-pressure of the response

TEST_F(BridgeRelay, UnreadResponseIsAtMostOneWindow) {
  Start(kOlder);
  Answer(1);
  size_t sent = 0;
  const std::string piece(16384, 'x');
  // The initial window of 1 MiB; more would break the protocol.
  for (; sent < size_t{1024} * 1024; sent += piece.size()) FromServer(FrameScript::Data(1, piece));
  const auto grants = [this] {
    std::string bytes;
    for (auto out = relay_.network_output(); !out.empty(); out = relay_.network_output()) {
      bytes += out;
      relay_.ConsumeNetworkOutput(out.size(), now_);
    }
    uint32_t credit = 0;
    for (const Frame& frame : script_.Read(bytes)) {
      if (frame.type == FrameType::kWindowUpdate && frame.stream_id == 1) {
        credit += frame.first_word();
      }
    }
    return credit;
  };
  EXPECT_EQ(grants(), 0u) << "no credit while the parent does not read";
  EXPECT_LT(relay_.parent_output().size(), sent + 1024);
  size_t read = 0;
  for (const std::string& message : Read()) read += message.size();
  EXPECT_EQ(read, sent);
  EXPECT_GT(grants(), sent / 2);
}

TEST_F(BridgeRelay, NothingThatCameIsLostWithTheConnection) {
  for (const char* config : {kOlder, kPersistent}) {
    for (const bool complete : {false, true}) {
      SCOPED_TRACE(std::string(config) + (complete ? " complete" : ""));
      RecordingHost host;
      Relay relay({.allow_plaintext = true}, host);
      FrameScript script;
      relay.OnInput(Message(config), now_);
      relay.OnNetworkInput(FrameScript::Settings(), now_);
      Flush(relay, now_);
      relay.OnNetworkInput(FrameScript::SettingsAck(), now_);
      relay.OnNetworkInput(script.Headers(1, {{":status", "200"}}), now_);
      const std::string piece(16'384, 'x');
      size_t sent = 0;
      for (; sent < 37 * piece.size(); sent += piece.size()) {
        relay.OnNetworkInput(FrameScript::Data(1, piece), now_);
      }
      for (int i = 0; i < 6000; ++i, ++sent) relay.OnNetworkInput(FrameScript::Data(1, "y"), now_);
      if (complete) relay.OnNetworkInput(FrameScript::Data(1, "", kFlagEndStream), now_);
      relay.OnNetworkEnd(now_);
      size_t read = 0;
      std::string text(relay.parent_output());
      relay.ConsumeParentOutput(text.size(), now_);
      text += relay.parent_output();
      relay.ConsumeParentOutput(relay.parent_output().size(), now_);
      for (const char c : text) read += c == 'x' || c == 'y' ? 1 : 0;
      EXPECT_EQ(read, sent);
      EXPECT_LT(text.size(), sent + 1024);
      EXPECT_EQ(host.lines.size(), complete && config == kOlder ? 0u : 1u);
      if (complete && config == kPersistent) {
        EXPECT_EQ(relay.exit_code(), std::nullopt);
        EXPECT_TRUE(text.ends_with(kDone));
      } else {
        EXPECT_EQ(relay.exit_code(), complete ? 0 : 2);
      }
    }
  }
}

TEST_F(BridgeRelay, ResponseOfAWholeWindowEndsBeforeAGoAway) {
  Start(kPersistent);
  Answer(1);
  const std::string piece(16'384, 'x');
  FromServer(FrameScript::Data(1, "y"));
  FromServer(FrameScript::Data(1, piece.substr(1)));
  for (int i = 1; i < 64; ++i) FromServer(FrameScript::Data(1, piece));
  FromServer(FrameScript::Data(1, "", kFlagEndStream) + FrameScript::GoAway(1, 2));
  EXPECT_EQ(Read().back(), kDone);
  EXPECT_EQ(code(), 2);
}

// --- timers

TEST_F(BridgeRelay, ConnectTimerIsThirtySecondsUntilTheServerIsUp) {
  Send(kPersistent);
  Send("a first message does not stop it");
  Advance(milliseconds(29'999));
  EXPECT_EQ(code(), std::nullopt);
  Advance(milliseconds(1));
  EXPECT_EQ(code(), 1);
  EXPECT_THAT(host_.lines,
              ElementsAre(testing::AllOf(HasSubstr("client error"), HasSubstr("30000 ms"))));
}

TEST_F(BridgeRelay, ConnectTimerIsOverOnceTheServerIsUp) {
  Start(kPersistent);
  Advance(std::chrono::hours(1));
  EXPECT_EQ(code(), std::nullopt);
}

TEST_F(BridgeRelay, ConnectTimerCanBeSetAndSwitchedOff) {
  Send(R"({"url":"http://h:1","connectTimeoutMs":250})");
  ExpectDueIn(milliseconds(250));
  RecordingHost host;
  Relay relay({.allow_plaintext = true}, host);
  relay.OnInput(Message(R"({"url":"http://h:1","connectTimeoutMs":0})"), now_);
  EXPECT_EQ(relay.NextDeadline(), std::nullopt);
}

TEST_F(BridgeRelay, OlderParentHasTwoMinutesOfSilence) {
  Start(kOlder);
  Advance(milliseconds(119'999));
  EXPECT_EQ(code(), std::nullopt);
  Advance(milliseconds(1));
  EXPECT_EQ(code(), 1);
  EXPECT_THAT(host_.lines.back(), "[h2-bridge] idle for 120000 ms");
}

TEST_F(BridgeRelay, NewerParentMayBeSilentForEver) {
  Start(kPersistent);
  for (int i = 0; i < 100; ++i) Advance(std::chrono::hours(1));
  EXPECT_EQ(code(), std::nullopt);
}

TEST_F(BridgeRelay, HeadersAndDataOfEitherSideAreSignsOfLife) {
  Start(R"({"url":"http://h:1","idleTimeoutMs":1000,"pingIntervalMs":0})");
  Advance(milliseconds(900));
  Send("a message");
  Advance(milliseconds(900));
  Answer(1);
  Advance(milliseconds(900));
  FromServer(FrameScript::Data(1, "bytes"));
  EXPECT_THAT(Read(), ElementsAre("bytes"));
  Advance(milliseconds(999));
  EXPECT_EQ(code(), std::nullopt);
  Advance(milliseconds(1));
  EXPECT_EQ(code(), 1);
}

TEST_F(BridgeRelay, PingsOfTheServerAreNot) {
  Start(R"({"url":"http://h:1","idleTimeoutMs":1000,"pingIntervalMs":0})");
  Advance(milliseconds(900));
  FromServer(FrameScript::Ping("12345678"));
  Advance(milliseconds(100));
  EXPECT_EQ(code(), 1);
}

TEST_F(BridgeRelay, ParentThatIsToReadIsNotIdle) {
  Start(R"({"url":"http://h:1","idleTimeoutMs":1000,"pingIntervalMs":0})");
  Answer(1);
  FromServer(FrameScript::Data(1, "bytes"));
  Advance(std::chrono::hours(1));
  EXPECT_EQ(code(), std::nullopt);
  EXPECT_THAT(Read(), ElementsAre("bytes"));
  Advance(milliseconds(1000));
  EXPECT_EQ(code(), 1);
}

TEST_F(BridgeRelay, SilentServerIsPingedAndReportedOnly) {
  Start(kPersistent);
  Advance(milliseconds(19'999));
  EXPECT_THAT(Requests(), IsEmpty());
  Advance(milliseconds(1));
  auto frames = Requests();
  ASSERT_THAT(frames, SizeIs(1));
  EXPECT_EQ(frames[0].type, FrameType::kPing);
  Advance(milliseconds(19'999));
  EXPECT_THAT(host_.lines, IsEmpty());
  Advance(milliseconds(1));
  EXPECT_THAT(host_.lines, ElementsAre(HasSubstr("[h2-bridge] ping failed: ")));
  for (int i = 0; i < 10; ++i) Advance(std::chrono::minutes(1));
  EXPECT_THAT(host_.lines, SizeIs(1)) << "once for each silence";
  EXPECT_EQ(code(), std::nullopt);
  FromServer(FrameScript::Ping(frames[0].payload, cursorwire::test::kFlagAck));
  Advance(milliseconds(20'000));
  Advance(milliseconds(20'000));
  EXPECT_THAT(host_.lines, SizeIs(2));
}

TEST_F(BridgeRelay, AnsweredPingsAreNotReported) {
  Start(kPersistent);
  for (int i = 0; i < 5; ++i) {
    Advance(milliseconds(20'000));
    const auto frames = Requests();
    ASSERT_THAT(frames, SizeIs(1));
    FromServer(FrameScript::Ping(frames[0].payload, cursorwire::test::kFlagAck));
  }
  EXPECT_THAT(host_.lines, IsEmpty());
}

TEST_F(BridgeRelay, PingsCanBeSetAndSwitchedOff) {
  Start(R"({"url":"http://h:1","persistent":true,"pingIntervalMs":500})");
  ExpectDueIn(milliseconds(500));
  RecordingHost host;
  Relay relay({.allow_plaintext = true}, host);
  relay.OnInput(Message(R"({"url":"http://h:1","persistent":true,"pingIntervalMs":0})"), now_);
  relay.OnNetworkInput(FrameScript::Settings(), now_);
  EXPECT_EQ(relay.NextDeadline(), std::nullopt);
}

TEST_F(BridgeRelay, WhatASilentServerIsSentIsNoSignOfLife) {
  Start(R"({"url":"http://h:1","idleTimeoutMs":30000,"pingIntervalMs":1000})");
  for (int i = 0; i < 31; ++i) {
    EXPECT_EQ(code(), std::nullopt) << i;
    Send("heartbeat");
    Advance(milliseconds(1000));
  }
  Advance(milliseconds(1000));
  EXPECT_EQ(code(), 1);
  EXPECT_THAT(host_.lines, ElementsAre(HasSubstr("ping failed"), HasSubstr("idle for 30000 ms")));
}

// --- what is kept

TEST_F(BridgeRelay, LogHasNoTokenAndNoContent) {
  Start(kPersistent);
  Send("question-of-the-user");
  Answer(1);
  FromServer(FrameScript::Data(1, "answer-of-the-server", kFlagEndStream));
  Send(R"({"cmd":"open","accessToken":"another-secret"})");
  (void)Requests();
  Answer(3, 401);
  FromServer(FrameScript::Data(3, "another-secret", kFlagEndStream));
  for (const char* text : {"secret", "question", "answer"}) {
    EXPECT_THAT(host_.log, testing::Not(HasSubstr(text)));
  }
  for (const char* text :
       {"authority=h:1", "path=/p", "run 2 started request-id=id-2", "status=401", "exit code 1"}) {
    EXPECT_THAT(host_.log, HasSubstr(text));
  }
}

TEST_F(BridgeRelay, ThousandRunsKeepNothing) {
  Start(kPersistent);
  size_t early = 0;
  for (int run = 0; run < 1000; ++run) {
    host_.log.clear();
    if (run == 100) early = cursorwire::test::HeapBytes();
    const int32_t stream = 1 + 2 * run;
    Answer(stream);
    FromServer(FrameScript::Data(stream, "answer", kFlagEndStream));
    ASSERT_THAT(Read(), ElementsAre("answer", kDone));
    Send(kOpen);
    ASSERT_THAT(Requests(), SizeIs(2)) << "the end of this one, and the next";
    ASSERT_TRUE(relay_.wants_input());
  }
  EXPECT_LE(cursorwire::test::HeapBytes(), early + size_t{8} * 1024);
  EXPECT_EQ(relay_.parent_output(), "");
  EXPECT_THAT(host_.lines, IsEmpty());
}

}  // namespace
}  // namespace h2_bridge
