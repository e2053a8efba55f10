#include "http/http2_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/http2_frames.h"
#include "support/for_each_split.h"
#include "support/frame_script.h"

namespace cursor_gateway {
namespace {

using cursorwire::connect::Headers;
using cursorwire::test::EncodeFrame;
using cursorwire::test::ForEachSplit;
using cursorwire::test::Frame;
using cursorwire::test::FrameScript;
using cursorwire::test::FrameType;
using cursorwire::test::kEnhanceYourCalm;
using cursorwire::test::kFlagAck;
using cursorwire::test::kFlagEndHeaders;
using cursorwire::test::kFlagEndStream;
using cursorwire::test::kInternalErrorCode;
using cursorwire::test::kProtocolErrorCode;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint32_t kNoErrorCode = 0;
constexpr uint32_t kCancelCode = 8;
constexpr std::string_view kPing = "12345678";

// Keeps the requests, for the test to answer.
class KeepingHandler final : public HttpHandler {
 public:
  std::optional<HttpAnswer> OnHead(const HttpHead& head) override {
    if (head.path != "/refuse" && !refuses) return std::nullopt;
    return HttpAnswer{.status = 403, .body = "refused", .close = true};
  }
  HttpAnswer OnUnreadable(Unreadable why) override {
    return {.status = static_cast<int>(why), .body = unreadable_body, .close = true};
  }
  void OnRequest(std::shared_ptr<HttpExchange> exchange) override {
    exchange->OnGone([this] { ++gone; });
    exchange->OnEnd([this] { ++ended; });
    exchanges.push_back(std::move(exchange));
  }

  bool refuses = false;
  std::string unreadable_body;
  std::vector<std::shared_ptr<HttpExchange>> exchanges;
  int gone = 0;
  int ended = 0;
};

Headers Request(std::string_view method, std::string_view path, const Headers& more = {}) {
  Headers headers = {{":method", std::string(method)},
                     {":scheme", "http"},
                     {":authority", "localhost"},
                     {":path", std::string(path)}};
  for (const auto& [name, value] : more) headers.Add(name, value);
  return headers;
}

// A session, and a client of raw frames.
struct Peer {
  explicit Peer(const FrameScript::SettingList& settings = {}) {
    Send(std::string(kHttp2Preface) + FrameScript::Settings(settings));
    Take();
    Send(FrameScript::SettingsAck());
  }

  void Send(std::string_view bytes) { session.Receive(bytes); }
  void Ask(int32_t id, const Headers& headers, uint8_t flags = kFlagEndStream) {
    Send(script.Headers(id, headers, flags));
  }
  std::vector<Frame> Take() {
    std::string out;
    session.TakeOutput(size_t{64} * 1024 * 1024, out);
    return script.Read(out);
  }
  // Those of one stream.
  std::vector<Frame> TakeOf(int32_t id) {
    std::vector<Frame> frames;
    for (Frame& frame : Take()) {
      if (frame.stream_id == id) frames.push_back(std::move(frame));
    }
    return frames;
  }
  // The frame that ends the connection.
  std::optional<uint32_t> TakeGoAway() {
    for (const Frame& frame : Take()) {
      if (frame.type == FrameType::kGoAway) return frame.error_code();
    }
    return std::nullopt;
  }
  void Pass(seconds time) {
    now += time;
    session.OnDeadline();
  }

  FrameScript script;
  TimePoint now = std::chrono::steady_clock::now();
  KeepingHandler handler;
  int outputs = 0;
  BodyBudget bodies{kMaxAllBodiesBytes};
  Http2Session session{handler, bodies, [this] { return now; }, [this] { ++outputs; }};
};

std::string StatusOf(const std::vector<Frame>& frames) {
  if (frames.empty() || frames[0].type != FrameType::kHeaders) return "no head";
  return std::string(frames[0].headers.Get(":status").value_or("no status"));
}

std::string TypesOf(const std::vector<Frame>& frames) {
  std::string types;
  for (const Frame& frame : frames) {
    types += "DHPRSUIGWC"[static_cast<size_t>(frame.type)];  // I: PING, G: GOAWAY, U: PUSH_PROMISE
    const bool ends = frame.type == FrameType::kData || frame.type == FrameType::kHeaders;
    if (ends && frame.has(kFlagEndStream)) types += '.';
  }
  return types;
}

TEST(Http2Session, ReadsARequestWhereverItIsCut) {
  FrameScript client;
  std::string bytes = std::string(kHttp2Preface) + FrameScript::Settings();
  bytes += client.Headers(1, Request("POST", "/a?query=1", {{"x-field", "value"}}), 0, 10);
  bytes += FrameScript::Data(1, "bo") + FrameScript::Data(1, "dy", kFlagEndStream);
  ForEachSplit(bytes, [](const auto& pieces) {
    KeepingHandler handler;
    Http2Session session(handler, BodyBudget(kMaxAllBodiesBytes), std::chrono::steady_clock::now,
                         [] {});
    for (const std::string_view piece : pieces) session.Receive(std::string(piece));
    ASSERT_THAT(handler.exchanges, SizeIs(1));
    HttpExchange& exchange = *handler.exchanges[0];
    EXPECT_EQ(exchange.head().method, "POST");
    EXPECT_EQ(exchange.head().path, "/a");
    EXPECT_EQ(*exchange.head().Find("Host"), "localhost");
    EXPECT_EQ(*exchange.head().Find("X-Field"), "value");
    EXPECT_EQ(exchange.body(), "body");
    exchange.Answer({.fields = {{"X-Name", "Value"}}, .body = "answer"});
    std::string out;
    session.TakeOutput(100'000, out);
    FrameScript reader;
    const std::vector<Frame> frames = reader.Read(out);
    ASSERT_EQ(TypesOf(frames), "SSWHD.");
    EXPECT_EQ(frames[3].headers.Get(":status"), "200");
    EXPECT_EQ(frames[3].headers.Get("x-name"), "Value");
    EXPECT_EQ(frames[3].headers.Get("content-length"), "6");
    EXPECT_TRUE(frames[3].headers.Get("date").has_value());
    EXPECT_EQ(frames[4].payload, "answer");
    EXPECT_EQ(handler.ended, 1);
    EXPECT_EQ(handler.gone, 0);
  });
}

TEST(Http2Session, StreamsPiecesAsTheyCome) {
  Peer peer;
  peer.Ask(1, Request("GET", "/"));
  HttpExchange& exchange = *peer.handler.exchanges.at(0);
  exchange.StartStream(200, {{"Content-Type", "text/event-stream"}});
  EXPECT_EQ(TypesOf(peer.TakeOf(1)), "H");
  exchange.Write("one");
  exchange.Write("two");
  EXPECT_GT(peer.outputs, 0);
  const std::vector<Frame> pieces = peer.TakeOf(1);
  ASSERT_EQ(TypesOf(pieces), "D");
  EXPECT_EQ(pieces[0].payload, "onetwo");
  exchange.EndStream();
  EXPECT_EQ(TypesOf(peer.TakeOf(1)), "D.");
  EXPECT_EQ(peer.session.open_streams(), 0U);
}

TEST(Http2Session, AnswersHeadWithoutABody) {
  Peer peer;
  peer.Ask(1, Request("HEAD", "/"));
  peer.Ask(3, Request("HEAD", "/"));
  peer.handler.exchanges.at(0)->Answer({.body = "body"});
  const std::vector<Frame> frames = peer.TakeOf(1);
  EXPECT_EQ(TypesOf(frames), "H.");
  EXPECT_EQ(frames[0].headers.Get("content-length"), "4");
  peer.handler.exchanges.at(1)->StartStream(200, {});
  peer.handler.exchanges.at(1)->Write("body");
  peer.handler.exchanges.at(1)->EndStream();
  EXPECT_EQ(TypesOf(peer.TakeOf(3)), "H.");
}

TEST(Http2Session, AnswersThatNothingHasChangedWithoutALength) {
  Peer peer;
  peer.Ask(1, Request("GET", "/"));
  peer.handler.exchanges.at(0)->Answer({.status = 304});
  const std::vector<Frame> frames = peer.TakeOf(1);
  EXPECT_EQ(TypesOf(frames), "H.");
  EXPECT_EQ(StatusOf(frames), "304");
  EXPECT_EQ(frames[0].headers.Get("content-length"), std::nullopt);
}

TEST(Http2Session, TellsAClientToSendItsBody) {
  Peer peer;
  peer.Ask(1, Request("POST", "/", {{"expect", "100-continue"}}), 0);
  EXPECT_EQ(StatusOf(peer.TakeOf(1)), "100");
  peer.Send(FrameScript::Data(1, "ok", kFlagEndStream));
  peer.handler.exchanges.at(0)->Answer({});
  EXPECT_EQ(StatusOf(peer.TakeOf(1)), "200");
}

TEST(Http2Session, IgnoresTrailers) {
  Peer peer;
  peer.Ask(1, Request("POST", "/"), 0);
  peer.Send(FrameScript::Data(1, "body"));
  peer.Send(peer.script.Headers(1, {{"x-trailer", "x"}}, kFlagEndStream));
  ASSERT_THAT(peer.handler.exchanges, SizeIs(1));
  EXPECT_EQ(peer.handler.exchanges[0]->body(), "body");
  EXPECT_EQ(peer.handler.exchanges[0]->head().Find("x-trailer"), nullptr);
}

TEST(Http2Session, RefusesBeforeTheBodyIsRead) {
  Peer peer;
  peer.Ask(1, Request("POST", "/refuse", {{"content-length", "1000000"}}), 0);
  const std::vector<Frame> frames = peer.TakeOf(1);
  ASSERT_EQ(TypesOf(frames), "HD.");
  EXPECT_EQ(StatusOf(frames), "403");
  // What comes of its body is dropped, and others on the connection go on.
  peer.Send(FrameScript::Data(1, "body"));
  peer.Ask(3, Request("GET", "/"));
  EXPECT_THAT(peer.handler.exchanges, SizeIs(1));
  EXPECT_EQ(peer.session.open_streams(), 2U);
  // The rest of it is not waited for.
  peer.Pass(seconds(2));
  const std::vector<Frame> end = peer.TakeOf(1);
  ASSERT_EQ(TypesOf(end), "R");
  EXPECT_EQ(end[0].error_code(), kNoErrorCode);
  EXPECT_EQ(peer.session.open_streams(), 1U);
  EXPECT_FALSE(peer.session.IsOver());
}

TEST(Http2Session, LetsTheClientOfARefusedRequestEndItsBody) {
  Peer peer;
  peer.Ask(1, Request("POST", "/refuse"), 0);
  EXPECT_EQ(TypesOf(peer.TakeOf(1)), "HD.");
  size_t credit = 0;
  for (int i = 0; i < 64; ++i) {  // four windows of a stream
    peer.Send(FrameScript::Data(1, std::string(16384, 'x')));
    for (const Frame& frame : peer.TakeOf(1)) {
      ASSERT_EQ(frame.type, FrameType::kWindowUpdate);
      credit += frame.first_word();
    }
  }
  EXPECT_GE(credit, size_t{3} * 256 * 1024);
  peer.Send(FrameScript::Data(1, "", kFlagEndStream));
  EXPECT_EQ(peer.session.open_streams(), 0U);
  EXPECT_THAT(peer.TakeOf(1), IsEmpty());
  EXPECT_THAT(peer.handler.exchanges, IsEmpty());
}

TEST(Http2Session, GivesTheAnswerToASlowBodyItsOwnTime) {
  Peer peer({{cursorwire::test::kSettingInitialWindowSize, 0}});
  peer.handler.unreadable_body = "too slow";
  peer.Ask(1, Request("POST", "/"), 0);
  peer.Pass(seconds(30));
  EXPECT_EQ(TypesOf(peer.TakeOf(1)), "H");
  peer.Pass(seconds(74));
  EXPECT_THAT(peer.TakeOf(1), IsEmpty());
  peer.Send(FrameScript::WindowUpdate(1, 100));
  EXPECT_EQ(TypesOf(peer.TakeOf(1)), "D.");
}

TEST(Http2Session, EndsAConnectionThatDoesNotReadTheResetOfItsStream) {
  Peer peer;
  peer.Ask(1, Request("GET", "/", {{"connection", "close"}}));
  EXPECT_EQ(peer.session.open_streams(), 1U);
  peer.Pass(seconds(74));
  EXPECT_FALSE(peer.session.IsOver());
  peer.Pass(seconds(1));
  EXPECT_TRUE(peer.session.IsOver());
}

TEST(Http2Session, RefusesMalformedRequests) {
  const struct {
    const char* name;
    Headers headers;
    std::string body;
  } cases[] = {
      {"connection", Request("GET", "/", {{"connection", "close"}}), ""},
      {"transfer-encoding", Request("GET", "/", {{"transfer-encoding", "chunked"}}), ""},
      {"upgrade", Request("GET", "/", {{"upgrade", "websocket"}}), ""},
      {"te other than trailers", Request("GET", "/", {{"te", "gzip"}}), ""},
      {"line break", Request("GET", "/", {{"x-field", "a\r\nb: c"}}), ""},
      {"no path", {{":method", "GET"}, {":scheme", "http"}, {":authority", "localhost"}}, ""},
      {"two paths", Request("GET", "/", {{":path", "/b"}}), ""},
      {"pseudo header of an answer", Request("GET", "/", {{":status", "200"}}), ""},
      {"two lengths", Request("POST", "/", {{"content-length", "1"}, {"content-length", "2"}}),
       "x"},
      {"odd length", Request("POST", "/", {{"content-length", "+1"}}), "x"},
      {"body shorter than its length", Request("POST", "/", {{"content-length", "2"}}), "x"},
      {"body longer than its length", Request("POST", "/", {{"content-length", "1"}}), "xx"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Peer peer;
    peer.Ask(1, c.headers, c.body.empty() ? kFlagEndStream : 0);
    if (!c.body.empty()) peer.Send(FrameScript::Data(1, c.body, kFlagEndStream));
    const std::vector<Frame> frames = peer.TakeOf(1);
    ASSERT_EQ(TypesOf(frames), "R");
    EXPECT_EQ(frames[0].error_code(), kProtocolErrorCode);
    EXPECT_THAT(peer.handler.exchanges, IsEmpty());
    peer.Ask(3, Request("GET", "/", {{"te", "trailers"}}));
    EXPECT_THAT(peer.handler.exchanges, SizeIs(1));
  }
}

TEST(Http2Session, RefusesNamesInUpperCase) {
  Peer peer;
  const auto ask = [&peer](int32_t id, std::string_view name) {
    // GET http://localhost/ by indexes, and literals that no table keeps. Source: RFC 7541, 6.2.2.
    std::string block = "\x82\x86\x84";
    block += std::string("\x01\x09localhost", 11) + std::string("\0\x01", 2);
    block += std::string(name) + "\x01y";
    peer.Send(EncodeFrame(FrameType::kHeaders, kFlagEndHeaders | kFlagEndStream, id, block));
  };
  ask(1, "x");
  EXPECT_THAT(peer.handler.exchanges, SizeIs(1));
  ask(3, "X");
  EXPECT_THAT(peer.handler.exchanges, SizeIs(1));
  EXPECT_EQ(TypesOf(peer.TakeOf(3)), "R");
}

TEST(Http2Session, RefusesAHostThatDiffersFromTheAuthority) {
  Peer peer;
  peer.Ask(1, Request("GET", "/", {{"host", "elsewhere"}}));
  EXPECT_EQ(StatusOf(peer.TakeOf(1)), "400");
  peer.Ask(3, Request("GET", "/", {{"host", "LOCALHOST"}}));
  peer.Ask(5, {{":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {"host", "a"}});
  ASSERT_THAT(peer.handler.exchanges, SizeIs(2));
  EXPECT_EQ(peer.handler.exchanges[0]->head().Count("host"), 1U);
  EXPECT_EQ(*peer.handler.exchanges[1]->head().Find("host"), "a");
}

TEST(Http2Session, BoundsHeads) {
  Peer peer;
  Headers large;
  for (int i = 0; i < 20; ++i) large.Add("x-field-" + std::to_string(i), std::string(4000, 'x'));
  peer.Ask(1, Request("GET", "/", large));
  EXPECT_EQ(StatusOf(peer.TakeOf(1)), "431");
  // One field of the table, named by one byte each.
  Headers bomb;
  for (int i = 0; i < 300; ++i) bomb.Add("x-bomb", std::string(3000, 'b'));
  const std::string frames = peer.script.Headers(3, Request("GET", "/", bomb), kFlagEndStream);
  ASSERT_LT(frames.size(), 4000U);
  peer.Send(frames);
  EXPECT_EQ(StatusOf(peer.TakeOf(3)), "431");
  peer.Ask(5, Request("GET", "/"));
  EXPECT_THAT(peer.handler.exchanges, SizeIs(1));
}

TEST(Http2Session, BoundsBodies) {
  Peer peer;
  peer.Ask(1, Request("POST", "/", {{"content-length", "50331649"}}), 0);
  EXPECT_EQ(StatusOf(peer.TakeOf(1)), "413");
  peer.Ask(3, Request("POST", "/"), 0);
  const std::string piece = FrameScript::Data(3, std::string(16384, 'x'));
  for (size_t sent = 0; sent < kMaxBodyBytes; sent += 16384) {
    peer.Send(piece);
    for (const Frame& frame : peer.Take()) ASSERT_EQ(frame.type, FrameType::kWindowUpdate);
  }
  peer.Send(FrameScript::Data(3, "x"));
  EXPECT_EQ(StatusOf(peer.TakeOf(3)), "413");
}

TEST(Http2Session, ReadsABodyOfTheLargestSize) {
  Peer peer;
  peer.Ask(1, Request("POST", "/"), 0);
  const std::string piece = FrameScript::Data(1, std::string(16384, 'x'));
  for (size_t sent = 0; sent < kMaxBodyBytes; sent += 16384) {
    peer.Send(piece);
    peer.Take();
  }
  peer.Send(FrameScript::Data(1, "", kFlagEndStream));
  ASSERT_THAT(peer.handler.exchanges, SizeIs(1));
  EXPECT_EQ(peer.handler.exchanges[0]->body().size(), kMaxBodyBytes);
}

TEST(Http2Session, EndsAConnectionWhoseHeaderBlockIsABomb) {
  Headers bomb;
  for (int i = 0; i < 10'000; ++i) bomb.Add("x-bomb", std::string(3000, 'b'));
  for (const bool trailers : {false, true}) {
    SCOPED_TRACE(trailers ? "trailers" : "head");
    Peer peer;
    if (trailers) peer.Ask(1, Request("POST", "/"), 0);
    const Headers block = trailers ? bomb : Request("GET", "/", bomb);
    const std::string frames = peer.script.Headers(1, block, kFlagEndStream);
    ASSERT_LT(frames.size(), 20'000U);
    peer.Send(frames);
    EXPECT_EQ(peer.TakeGoAway(), kEnhanceYourCalm);
    EXPECT_TRUE(peer.session.IsOver());
    EXPECT_THAT(peer.handler.exchanges, IsEmpty());
  }
}

// How many bytes of credit the frames give to a stream.
size_t CreditOf(const std::vector<Frame>& frames, int32_t id) {
  size_t credit = 0;
  for (const Frame& frame : frames) {
    if (frame.type == FrameType::kWindowUpdate && frame.stream_id == id) {
      credit += frame.first_word();
    }
  }
  return credit;
}

TEST(Http2Session, ReadsOneBodyAfterTheOtherWhereTheyAreMany) {
  Peer peer;
  for (const int32_t id : {1, 3, 5}) peer.Ask(id, Request("POST", "/"), 0);
  const auto send = [&peer](int32_t id, size_t size) {
    std::vector<Frame> all;
    for (size_t sent = 0; sent < size; sent += 16384) {
      peer.Send(FrameScript::Data(id, std::string(16384, 'x')));
      for (Frame& frame : peer.Take()) all.push_back(std::move(frame));
    }
    return all;
  };
  send(1, kMaxHttp2BodiesBytes);
  // The second stream uses up its window, and gets no credit.
  EXPECT_EQ(CreditOf(send(3, 262144), 3), 0U);
  // The first goes on. None of it is a slow client.
  EXPECT_GT(CreditOf(send(1, 262144), 1), 0U);
  peer.Pass(seconds(29));
  send(1, 16384);
  peer.Pass(seconds(29));
  EXPECT_THAT(peer.TakeOf(3), IsEmpty());
  // Its body is there; while the handler needs it, nothing changes.
  peer.Send(FrameScript::Data(1, "", kFlagEndStream));
  EXPECT_EQ(CreditOf(peer.Take(), 3), 0U);
  peer.handler.exchanges.at(0)->DropBody();
  EXPECT_EQ(CreditOf(peer.Take(), 3), 262144U);
}

TEST(Http2Session, RefusesBodiesThatAllConnectionsHaveNoRoomFor) {
  Peer peer;
  BodyShare others(peer.bodies);
  ASSERT_TRUE(others.Add(kMaxAllBodiesBytes - 10));
  peer.Ask(1, Request("POST", "/", {{"content-length", "11"}}), 0);
  EXPECT_EQ(StatusOf(peer.TakeOf(1)), "503");
  peer.Ask(3, Request("POST", "/"), 0);
  peer.Send(FrameScript::Data(3, "ten bytes.", kFlagEndStream));
  peer.Ask(5, Request("POST", "/"), 0);
  peer.Send(FrameScript::Data(5, "x"));
  EXPECT_EQ(StatusOf(peer.TakeOf(5)), "503");
  EXPECT_FALSE(peer.bodies.Fits(1));
  peer.handler.exchanges.at(0)->DropBody();
  EXPECT_TRUE(peer.bodies.Fits(10));
  peer.Ask(7, Request("POST", "/"), 0);
  peer.Send(FrameScript::Data(7, "x"));
  EXPECT_FALSE(peer.bodies.Fits(10));
  peer.Send(FrameScript::RstStream(7, kCancelCode));
  EXPECT_TRUE(peer.bodies.Fits(10));
}

TEST(Http2Session, GivesUpOnSlowBodies) {
  Peer peer;
  peer.Ask(1, Request("POST", "/"), 0);
  peer.Send(FrameScript::Data(1, "x"));
  peer.Pass(seconds(29));
  peer.Send(FrameScript::Data(1, "x"));
  peer.Pass(seconds(29));
  EXPECT_THAT(peer.TakeOf(1), IsEmpty());
  peer.Pass(seconds(2));
  EXPECT_EQ(StatusOf(peer.TakeOf(1)), "408");
  EXPECT_FALSE(peer.session.IsOver());
}

TEST(Http2Session, GivesUpOnSlowHeadsAndFrames) {
  FrameScript script;
  const std::string head = script.Headers(1, Request("GET", "/"), kFlagEndStream, 5);
  const std::string preface = std::string(kHttp2Preface) + FrameScript::Settings();
  const struct {
    const char* name;
    std::string bytes;
  } cases[] = {
      {"a preface alone", std::string(kHttp2Preface)},
      {"a part of SETTINGS", preface.substr(0, preface.size() - 1)},
      {"a part of a frame header", preface + head.substr(0, 3)},
      {"a part of a head", preface + head.substr(0, 11)},
      {"a head without its end", preface + head.substr(0, 14)},
      {"a part of a PING", preface + FrameScript::Ping(kPing).substr(0, 12)},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    KeepingHandler handler;
    TimePoint now = std::chrono::steady_clock::now();
    Http2Session session(
        handler, BodyBudget(kMaxAllBodiesBytes), [&now] { return now; }, [] {});
    session.Receive(c.bytes);
    std::string out;
    session.TakeOutput(100'000, out);
    EXPECT_EQ(session.NextDeadline(), now + kHeadTimeout);
    now += kHeadTimeout - seconds(1);
    session.OnDeadline();
    EXPECT_FALSE(session.IsOver());
    now += seconds(1);
    session.OnDeadline();
    EXPECT_TRUE(session.IsOver());
  }
}

TEST(Http2Session, EndsAConnectionThatIsIdle) {
  Peer peer;
  peer.Ask(1, Request("GET", "/"));
  peer.Pass(seconds(200));
  EXPECT_FALSE(peer.session.IsOver());
  peer.handler.exchanges.at(0)->Answer({});
  peer.Take();
  peer.Pass(seconds(60));
  peer.Send(FrameScript::Ping(kPing));  // is no request
  peer.Pass(seconds(14));
  EXPECT_FALSE(peer.session.IsOver());
  peer.Pass(seconds(1));
  EXPECT_EQ(peer.TakeGoAway(), kNoErrorCode);
  EXPECT_TRUE(peer.session.IsOver());
}

TEST(Http2Session, HoldsBackTheStreamThatIsNotReadAlone) {
  Peer peer({{cursorwire::test::kSettingInitialWindowSize, 10}});
  peer.Ask(1, Request("GET", "/slow"));
  peer.Ask(3, Request("GET", "/fast"));
  HttpExchange& slow = *peer.handler.exchanges.at(0);
  HttpExchange& fast = *peer.handler.exchanges.at(1);
  int writable = 0;
  slow.OnWritable([&] { ++writable; });
  slow.StartStream(200, {});
  fast.StartStream(200, {});
  slow.Write(std::string(100, 's'));
  peer.Take();
  EXPECT_EQ(slow.unsent_bytes(), 90U);
  for (int i = 0; i < 5; ++i) {
    fast.Write("fast event");
    EXPECT_EQ(TypesOf(peer.TakeOf(3)), "D");
    EXPECT_EQ(fast.unsent_bytes(), 0U);
    peer.Send(FrameScript::WindowUpdate(3, 10));
  }
  EXPECT_EQ(writable, 0);
  peer.Send(FrameScript::WindowUpdate(1, 90));
  EXPECT_EQ(TypesOf(peer.TakeOf(1)), "D");
  EXPECT_EQ(slow.unsent_bytes(), 0U);
  EXPECT_EQ(writable, 1);
}

TEST(Http2Session, GivesUpOnAnAnswerThatIsNotRead) {
  Peer peer({{cursorwire::test::kSettingInitialWindowSize, 0}});
  peer.Ask(1, Request("GET", "/"));
  peer.Ask(3, Request("GET", "/"));
  peer.handler.exchanges.at(0)->Answer({.body = "never read"});
  peer.Take();
  peer.Pass(seconds(74));
  EXPECT_THAT(peer.Take(), IsEmpty());
  peer.Pass(seconds(1));
  const std::vector<Frame> frames = peer.TakeOf(1);
  ASSERT_EQ(TypesOf(frames), "R");
  EXPECT_EQ(frames[0].error_code(), kCancelCode);
  EXPECT_EQ(peer.session.open_streams(), 1U);
  EXPECT_EQ(peer.handler.ended, 1);
}

TEST(Http2Session, RefusesRequestsOfAClientThatDoesNotReadItsAnswers) {
  Peer peer({{cursorwire::test::kSettingInitialWindowSize, 0}});
  peer.Ask(1, Request("GET", "/"));
  peer.Ask(3, Request("GET", "/"));
  static const std::string lasting(2 * kMaxHttp2UnsentBytes, 'x');  // takes no memory of its own
  peer.handler.exchanges.at(0)->Answer({.lasting_body = lasting});
  peer.Ask(5, Request("GET", "/"));
  ASSERT_THAT(peer.handler.exchanges, SizeIs(3));
  peer.handler.exchanges[1]->Answer({.body = std::string(kMaxHttp2UnsentBytes + 1, 'x')});
  peer.Ask(7, Request("GET", "/"));
  EXPECT_THAT(peer.handler.exchanges, SizeIs(3));
  EXPECT_EQ(StatusOf(peer.TakeOf(7)), "503");
  peer.Send(FrameScript::WindowUpdate(0, 0x10000000) + FrameScript::WindowUpdate(3, 0x10000000));
  peer.Take();
  peer.Ask(9, Request("GET", "/"));
  EXPECT_THAT(peer.handler.exchanges, SizeIs(4));
  peer.Send(FrameScript::WindowUpdate(1, 0x10000000));
  size_t size = 0;
  for (const Frame& frame : peer.TakeOf(1)) size += frame.payload.size();
  EXPECT_EQ(size, lasting.size());
}

TEST(Http2Session, TellsAnExchangeThatItsClientHasLeft) {
  Peer peer;
  peer.Ask(1, Request("GET", "/"));
  peer.Ask(3, Request("GET", "/"));
  peer.Ask(5, Request("POST", "/"), 0);
  peer.Send(FrameScript::RstStream(1, kCancelCode));
  EXPECT_EQ(peer.handler.gone, 1);
  peer.handler.exchanges.at(0)->Answer({.body = "nobody reads this"});
  EXPECT_THAT(peer.TakeOf(1), IsEmpty());
  EXPECT_EQ(peer.session.open_streams(), 2U);
  peer.session.Leave();
  EXPECT_EQ(peer.handler.gone, 2);
  EXPECT_EQ(peer.handler.ended, 2);
  peer.handler.exchanges.at(1)->Answer({.body = "nor this"});
}

TEST(Http2Session, OutlivedByItsExchanges) {
  auto peer = std::make_unique<Peer>();
  peer->Ask(1, Request("GET", "/"));
  const std::shared_ptr<HttpExchange> exchange = peer->handler.exchanges.at(0);
  bool gone = false;
  exchange->OnGone([&gone] { gone = true; });
  exchange->OnEnd(nullptr);
  exchange->StartStream(200, {});
  peer.reset();
  EXPECT_TRUE(gone);
  exchange->Write("x");
  exchange->EndStream();
}

TEST(Http2Session, AbortsOneStreamAlone) {
  Peer peer;
  peer.Ask(1, Request("GET", "/"));
  peer.Ask(3, Request("GET", "/"));
  peer.handler.exchanges.at(0)->StartStream(200, {});
  peer.handler.exchanges.at(0)->Write("part");
  peer.Take();
  peer.handler.exchanges.at(0)->Abort();
  std::vector<Frame> frames = peer.TakeOf(1);
  ASSERT_EQ(TypesOf(frames), "R");
  EXPECT_EQ(frames[0].error_code(), kInternalErrorCode);
  // As does the end of an exchange that was not answered.
  peer.handler.exchanges.at(1).reset();
  frames = peer.TakeOf(3);
  ASSERT_EQ(TypesOf(frames), "R");
  EXPECT_EQ(frames[0].error_code(), kInternalErrorCode);
  EXPECT_EQ(peer.handler.gone, 0);
  EXPECT_EQ(peer.handler.ended, 2);
  EXPECT_FALSE(peer.session.IsOver());
}

TEST(Http2Session, DrainsBehindTheStreamsUnderWay) {
  Peer peer;
  peer.Ask(1, Request("GET", "/"));
  peer.session.Drain();
  const std::vector<Frame> frames = peer.Take();
  ASSERT_EQ(TypesOf(frames), "G");
  EXPECT_EQ(frames[0].first_word(), 1U);
  EXPECT_EQ(frames[0].error_code(), kNoErrorCode);
  peer.Ask(3, Request("GET", "/"));
  EXPECT_THAT(peer.handler.exchanges, SizeIs(1));
  EXPECT_FALSE(peer.session.IsOver());
  peer.handler.exchanges[0]->Answer({.body = "the last"});
  EXPECT_EQ(TypesOf(peer.TakeOf(1)), "HD.");
  EXPECT_TRUE(peer.session.IsOver());
}

TEST(Http2Session, RefusesBodiesThatAreNotCompleteWhenItDrains) {
  Peer peer;
  peer.Ask(1, Request("POST", "/"), 0);
  peer.Ask(3, Request("GET", "/"));
  peer.handler.refuses = true;
  peer.session.Drain();
  EXPECT_EQ(StatusOf(peer.TakeOf(1)), "403");
  peer.Send(FrameScript::Data(1, "one byte a second"));
  peer.handler.exchanges.at(0)->Answer({});
  peer.Take();
  EXPECT_FALSE(peer.session.IsOver());
  peer.Pass(seconds(2));
  peer.Take();
  EXPECT_TRUE(peer.session.IsOver());
  EXPECT_THAT(peer.handler.exchanges, SizeIs(1));
}

TEST(Http2Session, RefusesStreamsBetweenTheDrainAndItsGoAway) {
  Peer peer;
  peer.session.Drain();
  peer.Ask(1, Request("GET", "/"));
  EXPECT_THAT(peer.handler.exchanges, IsEmpty());
  EXPECT_TRUE(peer.session.IsOver());
}

TEST(Http2Session, EndsBehindTheGoAwayOfItsClient) {
  Peer peer;
  peer.Ask(1, Request("GET", "/"));
  peer.Send(FrameScript::GoAway(0, kNoErrorCode));
  EXPECT_FALSE(peer.session.IsOver());
  peer.handler.exchanges.at(0)->Answer({});
  EXPECT_EQ(TypesOf(peer.TakeOf(1)), "H.");
  EXPECT_TRUE(peer.session.IsOver());
}

TEST(Http2Session, ShutsOutClientsThatBreakTheProtocol) {
  const struct {
    const char* name;
    std::string bytes;
  } cases[] = {
      {"a stream with an even id", FrameScript().Headers(2, Request("GET", "/"), kFlagEndStream)},
      {"data on a stream that was never opened", FrameScript::Data(7, "x")},
      {"another frame within a head",
       EncodeFrame(FrameType::kHeaders, 0, 3, "\x82") + FrameScript::Ping(kPing)},
      {"a frame that is too long", FrameScript::Data(1, std::string(16385, 'x'))},
      {"a push promise", EncodeFrame(FrameType::kPushPromise, kFlagEndHeaders, 1, "1234\x82")},
      {"a broken head", EncodeFrame(FrameType::kHeaders, kFlagEndHeaders, 1, "\xff\xff\xff\xff")},
      {"a window over the largest", FrameScript::WindowUpdate(0, 0x7fffffff)},
      {"a reset of a stream that was never opened", FrameScript::RstStream(9, 0)},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    Peer peer;
    peer.Send(c.bytes);
    EXPECT_GT(peer.TakeGoAway().value_or(0), 0U);
    EXPECT_TRUE(peer.session.IsOver());
    EXPECT_EQ(peer.session.open_streams(), 0U);
  }
}

TEST(Http2Session, EndsWithoutThePreface) {
  KeepingHandler handler;
  Http2Session session(handler, BodyBudget(kMaxAllBodiesBytes), std::chrono::steady_clock::now,
                       [] {});
  session.Receive("GET / HTTP/1.1\r\n\r\nnonsense");
  EXPECT_TRUE(session.IsOver());
}

TEST(Http2Session, ShutsOutRapidResets) {
  Peer peer;
  std::string attack;
  int32_t id = 1;
  for (uint32_t i = 0; i < kMaxHttp2Resets + 1; ++i, id += 2) {
    attack += peer.script.Headers(id, Request("GET", "/"), kFlagEndStream);
    attack += FrameScript::RstStream(id, kNoErrorCode);
  }
  peer.Send(attack);
  EXPECT_EQ(peer.TakeGoAway(), kEnhanceYourCalm);
  EXPECT_TRUE(peer.session.IsOver());
  EXPECT_THAT(peer.handler.exchanges, IsEmpty());  // none was worth a start
}

TEST(Http2Session, ShutsOutClientsThatMakeItReset) {
  Peer peer;
  std::string attack;
  int32_t id = 1;
  for (uint32_t i = 0; i < kMaxHttp2Resets + 1; ++i, id += 2) {
    attack += peer.script.Headers(id, Request("GET", "/"), kFlagEndStream);
    attack += FrameScript::WindowUpdate(id, 0);
  }
  for (std::string_view rest = attack; !rest.empty() && !peer.session.IsOver();) {
    peer.Send(rest.substr(0, 1000));
    rest.remove_prefix(std::min<size_t>(rest.size(), 1000));
    peer.Take();
  }
  EXPECT_TRUE(peer.session.IsOver());
}

TEST(Http2Session, LetsClientsCancelNowAndThen) {
  Peer peer;
  int32_t id = 1;
  for (int second = 0; second < 40; ++second) {
    for (int i = 0; i < 20; ++i, id += 2) {
      peer.Ask(id, Request("GET", "/"));
      peer.Send(FrameScript::RstStream(id, kCancelCode));
    }
    peer.Take();
    peer.now += seconds(1);
  }
  EXPECT_FALSE(peer.session.IsOver());
}

TEST(Http2Session, ShutsOutFloods) {
  const std::string request = FrameScript().Headers(1, Request("POST", "/"), 0);
  const struct {
    const char* name;
    std::string once;
    std::string again;
  } cases[] = {
      {"PING", "", FrameScript::Ping(kPing)},
      {"PING acks", "", FrameScript::Ping(kPing, kFlagAck)},
      {"SETTINGS", "", FrameScript::Settings()},
      {"PRIORITY", "", EncodeFrame(FrameType::kPriority, 0, 1, std::string("\0\0\0\0\0", 5))},
      {"unknown frames", "", EncodeFrame(static_cast<FrameType>(99), 0, 0, "x")},
      {"empty DATA", request, FrameScript::Data(1, "")},
      {"empty CONTINUATION", EncodeFrame(FrameType::kHeaders, 0, 1, "\x82"),
       EncodeFrame(FrameType::kContinuation, 0, 1, "")},
      {"CONTINUATION", EncodeFrame(FrameType::kHeaders, 0, 1, "\x82"),
       EncodeFrame(FrameType::kContinuation, 0, 1, "\x86")},
  };
  for (const auto& c : cases) {
    for (const bool reads : {true, false}) {
      SCOPED_TRACE(std::string(c.name) + (reads ? ", answers read" : ", answers not read"));
      Peer peer;
      peer.Send(c.once);
      size_t sent = 0;
      while (!peer.session.IsOver() && sent <= 2 * kMaxHttp2EmptyFrames) {
        peer.Send(c.again);
        ++sent;
        if (reads) peer.Take();
      }
      EXPECT_TRUE(peer.session.IsOver());
      EXPECT_GT(sent, 100U);
    }
  }
}

TEST(Http2Session, OpensAHundredStreamsAtMost) {
  Peer peer;
  int32_t id = 1;
  for (uint32_t i = 0; i < kMaxHttp2Streams; ++i, id += 2) peer.Ask(id, Request("GET", "/"));
  EXPECT_THAT(peer.handler.exchanges, SizeIs(kMaxHttp2Streams));
  EXPECT_EQ(peer.session.open_streams(), kMaxHttp2Streams);
  peer.Ask(id, Request("GET", "/"));
  EXPECT_THAT(peer.handler.exchanges, SizeIs(kMaxHttp2Streams));
}

TEST(Http2Frames, KnowThePreface) {
  for (size_t size = 0; size < kHttp2Preface.size(); ++size) {
    EXPECT_EQ(MatchPreface(kHttp2Preface.substr(0, size)), PrefaceMatch::kPart);
  }
  EXPECT_EQ(MatchPreface(kHttp2Preface), PrefaceMatch::kWhole);
  EXPECT_EQ(MatchPreface(std::string(kHttp2Preface) + "more"), PrefaceMatch::kWhole);
  EXPECT_EQ(MatchPreface("POST / HTTP/1.1"), PrefaceMatch::kNo);
  EXPECT_EQ(MatchPreface("PRI * HTTP/2.0\r\n\r\nXX"), PrefaceMatch::kNo);
}

}  // namespace
}  // namespace cursor_gateway
