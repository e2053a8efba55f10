// Calls of CallKind::kRaw over a socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "cursorwire/connect/channel.h"
#include "cursorwire/connect/error_info.h"
#include "support/recording_observer.h"
#include "support/status_matchers.h"
#include "support/test_server.h"

namespace cursorwire::connect {
namespace {

using test::Exchange;
using test::IsOk;
using test::Recorder;
using test::StatusIs;
using test::TestServer;
using ::testing::ElementsAre;

CallRequest Raw(std::string path, CallOptions options = {}) {
  return {.path = std::move(path), .kind = CallKind::kRaw, .options = std::move(options)};
}

TEST(RawCall, HandsOutStatusHeadersAndBytesAsTheyAre) {
  const std::string body("\x00\x00\x00\x00\x05hello\xFF", 11);
  const TestServer server({.routes = {{"/raw", test::AnswerHttp(418, "text/strange", body)}}});
  const Channel channel = server.Connect();
  const auto observer = Recorder();
  channel.Start(Raw("/raw"), observer).CloseSend();
  EXPECT_THAT(observer->AwaitEnd(), IsOk());
  EXPECT_TRUE(observer->Await("head 418"));
  EXPECT_EQ(observer->head().Get("content-type"), "text/strange");
  EXPECT_EQ(observer->bytes(), body);
}

TEST(RawCall, SendsBytesWithoutEnvelopesAndTheHeadersItWasGiven) {
  Headers headers;
  std::string body;
  const TestServer server({.routes = {{"/raw", {.on_end = [&](Exchange& exchange) {
                                         headers = exchange.headers();
                                         body = exchange.TakeBody();
                                         exchange.SendHeaders({{":status", "204"}});
                                         exchange.Finish();
                                       }}}}});
  const Channel channel = server.Connect();
  const auto observer = Recorder();
  const Call call = channel.Start(
      Raw("/raw", {.headers = {{"content-type", "application/grpc"}, {"te", "trailers"}}}),
      observer);
  EXPECT_THAT(call.Send("ab"), IsOk());
  EXPECT_THAT(call.Send("cd"), IsOk());
  call.CloseSend();
  EXPECT_THAT(observer->AwaitEnd(), IsOk());
  EXPECT_EQ(body, "abcd");
  EXPECT_THAT(headers.GetAll("content-type"), ElementsAre("application/grpc"));
  EXPECT_EQ(headers.Get("te"), "trailers");
  EXPECT_FALSE(headers.Get("connect-protocol-version").has_value());
}

TEST(RawCall, IsAGetWhereThatIsAskedFor) {
  Headers headers;
  const TestServer server({.routes = {{"/raw?a=b", {.on_end = [&](Exchange& exchange) {
                                         headers = exchange.headers();
                                         exchange.SendHeaders({{":status", "204"}});
                                         exchange.Finish();
                                       }}}}});
  const Channel channel = server.Connect();
  const auto observer = Recorder();
  channel.Start(Raw("/raw?a=b", {.http_method = HttpMethod::kGet}), observer).CloseSend();
  EXPECT_THAT(observer->AwaitEnd(), IsOk());
  EXPECT_EQ(headers.Get(":method"), "GET");
  EXPECT_EQ(headers.Get(":path"), "/raw?a=b");
}

TEST(RawCall, EndsWithTheResetOfTheServer) {
  const TestServer server({.routes = {{"/calm", test::ResetWith(0xb)}}});
  const Channel channel = server.Connect();
  const auto observer = Recorder();
  channel.Start(Raw("/calm"), observer);
  const absl::Status status = observer->AwaitEnd();
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(GetErrorInfo(status)->http2_code, 0xbu);
}

TEST(RawCall, MovesMuchBothWays) {
  constexpr size_t kChunk = 100'000;
  constexpr size_t kChunks = 50;
  const TestServer server(
      {.routes = {{"/raw",
                   {.on_headers =
                        [](Exchange& exchange) {
                          exchange.SendHeaders({{":status", "200"}});
                        },
                    .on_body = [](Exchange& exchange) { exchange.SendBody(exchange.TakeBody()); },
                    .on_end = [](Exchange& exchange) { exchange.Finish(); }}}}});
  const Channel channel = server.Connect();
  const auto observer = Recorder();
  const Call call = channel.Start(Raw("/raw"), observer);
  for (size_t i = 0; i < kChunks; ++i) {
    EXPECT_THAT(call.Send(std::string(kChunk, static_cast<char>('a' + i % 26))), IsOk());
  }
  call.CloseSend();
  EXPECT_THAT(observer->AwaitEnd(), IsOk());
  const std::string bytes = observer->bytes();
  ASSERT_EQ(bytes.size(), kChunk * kChunks);
  for (size_t i = 0; i < kChunks; ++i) {
    ASSERT_EQ(bytes[i * kChunk], static_cast<char>('a' + i % 26));
    ASSERT_EQ(bytes[i * kChunk + kChunk - 1], static_cast<char>('a' + i % 26));
  }
}

}  // namespace
}  // namespace cursorwire::connect
