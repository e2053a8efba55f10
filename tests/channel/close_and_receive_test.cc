// Calls that have one answer: Stream::CloseAndReceive(), and what of it Channel::Unary() shows.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cursorwire/connect/channel.h"
#include "cursorwire/connect/error_info.h"
#include "cursorwire/connect/stream.h"
#include "support/errors.h"
#include "support/test_server.h"
#include "wire/envelope.h"

namespace cursorwire::connect {
namespace {

using absl::StatusCode;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using test::Exchange;
using test::HasOrigin;
using test::IsOk;
using test::StatusIs;
using test::TestServer;

Headers MetadataOf(const absl::Status& status) {
  const std::optional<ErrorInfo> info = GetErrorInfo(status);
  EXPECT_TRUE(info.has_value()) << status;
  return info.value_or(ErrorInfo{}).metadata;
}

std::string Envelope(uint8_t flags, std::string_view payload) {
  std::string bytes;
  EXPECT_THAT(wire::AppendEnvelope(flags, payload, bytes), IsOk());
  return bytes;
}

// Answers each stream with `count` messages and this end-stream, when it is half-closed.
test::Behaviour Answer(int count, std::string json = "{}") {
  return {.on_end = [count, json = std::move(json)](Exchange& exchange) {
    exchange.SendHeaders(
        {{":status", "200"}, {"content-type", "application/connect+proto"}, {"x-head", "1"}});
    for (int i = 0; i < count; ++i) {
      exchange.SendBody(Envelope(0, "answer " + std::to_string(i)));
    }
    exchange.SendBody(Envelope(wire::kEnvelopeEndStream, json));
    exchange.Finish();
  }};
}

TEST(CloseAndReceive, GivesTheOneMessageWithHeadersAndTrailers) {
  const TestServer server({.routes = {{"/one", Answer(1, R"({"metadata":{"x-tail":["2"]}})")}}});
  const Channel channel = server.Connect();
  Stream stream = channel.OpenStream("/one");
  ASSERT_THAT(stream.Send("a"), IsOk());
  ASSERT_THAT(stream.Send("b"), IsOk());
  const absl::StatusOr<UnaryResponse> response = stream.CloseAndReceive();
  ASSERT_THAT(response, IsOk());
  EXPECT_EQ(response->message, "answer 0");
  EXPECT_EQ(response->headers.Get("x-head"), "1");
  EXPECT_EQ(response->trailers.Get("x-tail"), "2");
  EXPECT_FALSE(stream.Next().has_value());
}

TEST(CloseAndReceive, RefusesAnyOtherNumberOfMessages) {
  const struct {
    const char* name;
    int count;
    std::string json;
    StatusCode code;
    const char* why;
  } kCases[] = {
      {"none", 0, "{}", StatusCode::kUnimplemented, "no message"},
      {"two", 2, "{}", StatusCode::kUnimplemented, "more than one"},
      {"many", 200, "{}", StatusCode::kUnimplemented, "more than one"},
      {"none, and an error", 0, R"({"error":{"code":"aborted","message":"m"}})",
       StatusCode::kAborted, "m"},
      {"one, and an error", 1, R"({"error":{"code":"aborted","message":"m"}})",
       StatusCode::kAborted, "m"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const TestServer server({.routes = {{"/any", Answer(c.count, c.json)}}});
    const Channel channel = server.Connect();
    Stream stream = channel.OpenStream("/any");
    const absl::StatusOr<UnaryResponse> response = stream.CloseAndReceive();
    EXPECT_THAT(response, StatusIs(c.code, HasSubstr(c.why)));
    EXPECT_THAT(response, HasOrigin(c.code == StatusCode::kAborted ? ErrorOrigin::kServer
                                                                   : ErrorOrigin::kProtocol));
    EXPECT_EQ(MetadataOf(response.status()).Get("x-head"), "1");
    EXPECT_FALSE(stream.Next().has_value());
  }
}

// A second message says enough: the server may send forever.
TEST(CloseAndReceive, DoesNotWaitForTheEndBehindASecondMessage) {
  const TestServer server({.routes = {{"/endless", {.on_headers = [](Exchange& exchange) {
                                         exchange.SendMessage("1");
                                         exchange.SendMessage("2");
                                       }}}}});
  const Channel channel = server.Connect();
  EXPECT_THAT(channel.OpenStream("/endless").CloseAndReceive(),
              StatusIs(StatusCode::kUnimplemented));
  EXPECT_TRUE(server.Await([](const auto& stats) { return stats.gone == 1; }));
}

TEST(CloseAndReceive, PutsHeadersAndTrailersIntoTheError) {
  const std::string error = R"({"error":{"code":"not_found","message":"m",
      "details":[{"type":"a.B","value":"AQI"}]},"metadata":{"x-tail":["2","3"]}})";
  const TestServer server({.routes = {{"/fails", Answer(0, error)}}});
  const Channel channel = server.Connect();
  const absl::Status status = channel.OpenStream("/fails").CloseAndReceive().status();
  EXPECT_THAT(status, StatusIs(StatusCode::kNotFound, "m"));
  EXPECT_THAT(status, HasOrigin(ErrorOrigin::kServer));
  EXPECT_EQ(GetErrorInfo(status)->details.size(), 1u);
  const Headers metadata = MetadataOf(status);
  EXPECT_EQ(metadata.Get("x-head"), "1");
  EXPECT_EQ(metadata.Get("content-type"), "application/connect+proto");
  EXPECT_THAT(metadata.GetAll("x-tail"), ::testing::ElementsAre("2", "3"));
}

TEST(CloseAndReceive, EndsWithTheCall) {
  const TestServer server;
  const Channel channel = server.Connect();
  EXPECT_THAT(channel.OpenStream("/never", {.timeout = 50ms}).CloseAndReceive(),
              StatusIs(StatusCode::kDeadlineExceeded));
  Stream stream = channel.OpenStream("/never");
  std::future<absl::Status> status =
      std::async(std::launch::async, [&stream] { return stream.CloseAndReceive().status(); });
  stream.Cancel();
  EXPECT_THAT(test::WaitFor(status), StatusIs(StatusCode::kCancelled));
  EXPECT_THAT(Channel::Create(test::RefusedUrl())->OpenStream("/x").CloseAndReceive(),
              StatusIs(StatusCode::kUnavailable));
}

TEST(Unary, PutsHeadersAndTrailersIntoTheError) {
  const TestServer server({.routes = {{"/fails", {.on_end = [](Exchange& exchange) {
                                         exchange.SendHeaders({{":status", "404"},
                                                               {"content-type", "application/json"},
                                                               {"x-head", "1"},
                                                               {"trailer-x-tail", "2"}});
                                         exchange.SendBody(R"({"code":"not_found"})");
                                         exchange.Finish();
                                       }}}}});
  const absl::Status status = server.Connect().Unary("/fails", "ask").status();
  EXPECT_THAT(status, StatusIs(StatusCode::kNotFound));
  EXPECT_EQ(MetadataOf(status).Get("x-head"), "1");
  EXPECT_EQ(MetadataOf(status).Get("x-tail"), "2");
}

TEST(OpenStream, HasOneMessageEachWayInAUnaryCall) {
  const TestServer server;
  const Channel channel = server.Connect();
  Stream stream = channel.OpenStream({.path = "/unary", .kind = CallKind::kUnary});
  ASSERT_THAT(stream.Send("ask"), IsOk());
  EXPECT_THAT(stream.Send("again"), StatusIs(StatusCode::kFailedPrecondition));
  const absl::StatusOr<UnaryResponse> response = stream.CloseAndReceive();
  ASSERT_THAT(response, IsOk());
  EXPECT_EQ(response->message, "ask");
  EXPECT_EQ(response->trailers.Get("x-tail"), "2");
}

TEST(OpenStream, FailsIfAUnaryCallIsHalfClosedBeforeItsMessage) {
  const TestServer server;
  const Channel channel = server.Connect();
  Stream stream = channel.OpenStream({.path = "/unary", .kind = CallKind::kUnary});
  const absl::Status status = stream.CloseAndReceive().status();
  EXPECT_THAT(status, StatusIs(StatusCode::kFailedPrecondition, HasSubstr("before its message")));
  EXPECT_THAT(status, HasOrigin(ErrorOrigin::kLocal));
  EXPECT_EQ(server.stats().requests, 0);
}

TEST(OpenStream, PutsTheMessageOfAGetIntoThePath) {
  const TestServer server(
      {.routes = {{"/unary?connect=v1&base64=1&encoding=proto&message=YXNr", test::EchoUnary()}}});
  const absl::StatusOr<UnaryResponse> response =
      server.Connect().Unary("/unary", "ask", {.http_method = HttpMethod::kGet});
  ASSERT_THAT(response, IsOk());
  EXPECT_EQ(response->message, "");  // no body
}

}  // namespace
}  // namespace cursorwire::connect
