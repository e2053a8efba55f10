// HTTP/2 over a socket: which connections it gets, and their ends. What it does with their bytes is
// in http2_session_test.cc.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/gateway/frame_client.h"
#include "apps/gateway/http_server_fixture.h"
#include "apps/gateway/raw_client.h"
#include "http/http2_frames.h"
#include "http/http2_session.h"
#include "http/http_server.h"
#include "support/frame_script.h"

namespace cursor_gateway {
namespace {

using cursorwire::test::Frame;
using cursorwire::test::FrameScript;
using cursorwire::test::FrameType;
using cursorwire::test::kEnhanceYourCalm;
using cursorwire::test::kFlagEndStream;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Answers with the method and the body, or keeps the request: path "/keep".
class MethodHandler final : public HttpHandler {
 public:
  std::optional<HttpAnswer> OnHead(const HttpHead&) override { return std::nullopt; }
  HttpAnswer OnUnreadable(Unreadable why) override { return {.status = static_cast<int>(why)}; }
  void OnRequest(std::shared_ptr<HttpExchange> exchange) override {
    if (exchange->head().path == "/keep") {
      exchange->OnGone([this] { gone.set_value(); });
      kept.set_value(std::move(exchange));
    } else {
      exchange->Answer({.body = exchange->head().method + " " + exchange->body()});
    }
  }

  std::promise<std::shared_ptr<HttpExchange>> kept;
  std::promise<void> gone;
};

using Http2ServerTest = HttpServerFixture<MethodHandler>;

TEST_F(Http2ServerTest, AnswersOnTheSamePortAsHttp1) {
  FrameClient client(port_);
  client.Ask(1, "/");
  EXPECT_EQ(client.ReadBody(1), "GET ");
  client.Ask(3, "/", "POST", 0);
  client.Send(FrameScript::Data(3, "body", kFlagEndStream));
  EXPECT_EQ(client.ReadBody(3), "POST body");
  RawClient old(port_);
  old.Send(Get("/"));
  EXPECT_THAT(old.ReadResponse(), StartsWith("HTTP/1.1 200 OK"));
  EXPECT_EQ(Connections(), 2U);
}

TEST_F(Http2ServerTest, SeesThePrefaceByteByByte) {
  RawClient client(port_);
  FrameScript script;
  std::string bytes = std::string(kHttp2Preface) + FrameScript::Settings();
  bytes += script.Headers(1, FrameClient::RequestOf("/", "GET"), kFlagEndStream);
  for (const char c : bytes) client.Send(std::string(1, c));
  EXPECT_THAT(client.ReadUntil("GET "), HasSubstr("GET "));
}

TEST_F(Http2ServerTest, LeavesWhatOnlyBeginsAsThePrefaceToHttp1) {
  for (const std::string bytes :
       {"PRI * HTTP/2.0\r\n\r\nXX", "PRI * HTTP/1.1\r\nHost: a\r\n\r\n"}) {
    SCOPED_TRACE(bytes);
    RawClient client(port_);
    client.Send(bytes);
    EXPECT_THAT(client.ReadUntil("\r\n"), StartsWith("HTTP/1.1 "));
  }
  RawClient post(port_);
  post.Send("P");
  post.Send(Post("/", "body").substr(1));
  EXPECT_THAT(post.ReadResponse(), HasSubstr("POST body"));
  RawClient pri(port_);  // a method of HTTP/1.1 that the handler knows nothing of
  pri.Send("PRINT / HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(pri.ReadResponse(), HasSubstr("PRINT "));
}

TEST_F(Http2ServerTest, GivesUpOnAPartOfThePreface) {
  RawClient client(port_);
  client.Send(kHttp2Preface.substr(0, 20));
  thread_.Do([] {});
  thread_.Advance(seconds(11));
  EXPECT_THAT(client.ReadToEnd(), StartsWith("HTTP/1.1 408"));
}

TEST_F(Http2ServerTest, EndsIdleConnections) {
  FrameClient client(port_);
  client.Ask(1, "/");
  client.ReadBody(1);
  thread_.Advance(seconds(76));
  EXPECT_EQ(client.ReadTo(FrameType::kGoAway, 0).error_code(), 0U);
  EXPECT_TRUE(client.raw().IsClosed());
  client.raw().Close();
}

TEST_F(Http2ServerTest, NoticesAClientThatLeaves) {
  enum class How { kResetStream, kClose, kReset };
  for (const How how : {How::kResetStream, How::kClose, How::kReset}) {
    handler_.kept = {};
    handler_.gone = {};
    FrameClient client(port_);
    client.Ask(1, "/keep");
    HttpExchange& exchange = Kept();
    thread_.Do([&] { exchange.StartStream(200, {}); });
    client.ReadTo(FrameType::kHeaders, 1);
    if (how == How::kResetStream) client.Send(FrameScript::RstStream(1, 8));
    if (how == How::kClose) client.raw().Close();
    if (how == How::kReset) client.raw().Reset();
    EXPECT_EQ(handler_.gone.get_future().wait_for(seconds(10)), std::future_status::ready);
    thread_.Do([&] {
      exchange.Write("nobody reads this");
      exchange.EndStream();
    });
    if (how != How::kResetStream) continue;
    client.Ask(3, "/");
    EXPECT_EQ(client.ReadBody(3), "GET ");
  }
}

TEST_F(Http2ServerTest, HoldsBackASlowReaderAlone) {
  FrameClient client(port_);
  client.Ask(1, "/keep");
  HttpExchange& exchange = Kept();
  std::promise<void> writable;
  thread_.Do([&] {
    exchange.OnWritable([&] { writable.set_value(); });
    exchange.StartStream(200, {});
    exchange.Write(std::string(200'000, 'x'));
  });
  // The window of the stream is used up, but the connection has one of its own.
  client.Send(FrameScript::WindowUpdate(0, 1'000'000));
  for (int32_t id = 3; id < 23; id += 2) {
    client.Ask(id, "/");
    EXPECT_EQ(client.ReadBody(id), "GET ");
  }
  std::future<void> taken = writable.get_future();
  EXPECT_EQ(taken.wait_for(seconds(0)), std::future_status::timeout);
  thread_.Do([&] { EXPECT_GE(exchange.unsent_bytes(), 200'000U - 65535U); });
  client.Send(FrameScript::WindowUpdate(1, 1'000'000));
  EXPECT_EQ(taken.wait_for(seconds(10)), std::future_status::ready);
  thread_.Do([&] {
    EXPECT_EQ(exchange.unsent_bytes(), 0U);
    exchange.EndStream();
  });
}

TEST_F(Http2ServerTest, EndsAConnectionThatReadsNothing) {
  FrameClient client(port_);
  client.Send(FrameScript::WindowUpdate(0, 1'000'000'000));
  client.Send(FrameScript::WindowUpdate(1, 0));  // of no stream: an error of the connection
  EXPECT_GT(client.ReadTo(FrameType::kGoAway, 0).error_code(), 0U);
  thread_.Advance(seconds(3));
  EXPECT_EQ(Connections(), 0U);
  // Nor does one stay whose socket takes no more.
  FrameClient deaf(port_);
  deaf.Send(FrameScript::Settings({{cursorwire::test::kSettingInitialWindowSize, 0x7fffffff}}));
  deaf.Send(FrameScript::WindowUpdate(0, 1'000'000'000));
  deaf.Ask(1, "/keep");
  HttpExchange& exchange = Kept();
  thread_.Do([&] { exchange.Answer({.body = std::string(64'000'000, 'x')}); });
  thread_.Advance(seconds(76));  // the stream is given up, and nobody reads of it
  thread_.Advance(seconds(76));  // so the connection is
  thread_.Advance(seconds(3));
  EXPECT_EQ(Connections(), 0U);
}

TEST_F(Http2ServerTest, ShutsOutRapidResetsAndServesOthers) {
  FrameClient hostile(port_);
  int32_t id = 1;
  for (uint32_t i = 0; i < 3 * kMaxHttp2Resets; ++i, id += 2) {
    hostile.Ask(id, "/");
    hostile.Send(FrameScript::RstStream(id, 8));
  }
  EXPECT_EQ(hostile.ReadTo(FrameType::kGoAway, 0).error_code(), kEnhanceYourCalm);
  FrameClient client(port_);
  client.Ask(1, "/");
  EXPECT_EQ(client.ReadBody(1), "GET ");
}

TEST_F(Http2ServerTest, ShutsOutFloodsOfPingsThatReadNothing) {
  RawClient hostile(port_);
  hostile.Send(std::string(kHttp2Preface) + FrameScript::Settings());
  for (int i = 0; i < 100'000; ++i) hostile.Send(FrameScript::Ping("12345678"));
  thread_.Advance(seconds(3));
  EXPECT_EQ(Connections(), 0U);
}

TEST_F(Http2ServerTest, DrainsBehindTheAnswersUnderWay) {
  FrameClient idle(port_);
  idle.Ask(1, "/");
  idle.ReadBody(1);
  RawClient half(port_);
  half.Send(kHttp2Preface.substr(0, 10));
  FrameClient busy(port_);
  busy.Ask(1, "/keep");
  Kept();
  std::promise<void> drained;
  thread_.Do([&] { server_->Drain([&] { drained.set_value(); }); });
  EXPECT_EQ(idle.ReadTo(FrameType::kGoAway, 0).error_code(), 0U);
  EXPECT_TRUE(idle.raw().IsClosed());
  const Frame goaway = busy.ReadTo(FrameType::kGoAway, 0);
  EXPECT_EQ(goaway.error_code(), 0U);
  EXPECT_EQ(goaway.first_word(), 1U);
  half.Send(kHttp2Preface.substr(10));  // it is late
  half.Send(FrameScript::Settings());
  half.ReadToEnd();
  half.Close();
  std::future<void> done = drained.get_future();
  EXPECT_EQ(done.wait_for(seconds(0)), std::future_status::timeout);
  thread_.Do([&] { kept_->Answer({.body = "the last"}); });
  EXPECT_EQ(busy.ReadBody(1), "the last");
  busy.raw().Close();
  EXPECT_EQ(done.wait_for(seconds(10)), std::future_status::ready);
}

TEST_F(Http2ServerTest, ReadsABodyOfTheLargestSize) {
  FrameClient client(port_);
  client.Ask(1, "/", "POST", 0);
  const std::string piece = FrameScript::Data(1, std::string(16384, 'x'));
  size_t credit = cursorwire::test::kInitialWindow;
  for (size_t sent = 0; sent < kMaxBodyBytes; sent += 16384) {
    while (credit < 16384) credit += client.ReadTo(FrameType::kWindowUpdate, 1).first_word();
    credit -= 16384;
    client.Send(piece);
  }
  client.Send(FrameScript::Data(1, "", kFlagEndStream));
  client.Send(FrameScript::WindowUpdate(0, 0x10000000) + FrameScript::WindowUpdate(1, 0x10000000));
  EXPECT_EQ(client.ReadBody(1).size(), kMaxBodyBytes + 5);
}

}  // namespace
}  // namespace cursor_gateway
