// Compression and GET in UnaryCall. Compressed bytes come from an independent encoder.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cursorwire/connect/error_info.h"
#include "rpc/compression.h"
#include "rpc/get_query.h"
#include "rpc/unary_call.h"
#include "support/call_log.h"
#include "support/errors.h"
#include "support/for_each_split.h"
#include "support/hex.h"
#include "support/sizes.h"
#include "support/status_matchers.h"
#include "wire/gzip.h"

namespace cursorwire::rpc {
namespace {

using absl::StatusCode;
using connect::CallOptions;
using connect::Codec;
using connect::Compression;
using connect::ErrorOrigin;
using connect::Headers;
using connect::HttpMethod;
using test::CallLog;
using test::Drain;
using test::ForEachSplit;
using test::FromHex;
using test::HasHttpStatus;
using test::HasOrigin;
using test::IsOk;
using test::IsOkAndHolds;
using test::kMiB;
using test::Play;
using test::StatusIs;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Pieces = std::vector<std::string_view>;

// Made by Python's gzip.compress(..., mtime=0).
const std::string kHelloMessage =  // "hello, hello, hello"
    FromHex("1f8b0800000000000203 cb48cdc9c9d751c840a200 9fa1ca09 13000000");
const std::string kNotFound =  // {"code":"not_found","message":"m"}
    FromHex(
        "1f8b0800000000000203 ab564ace4f4955b252cacb2f894fcb2fcd4b51d251ca4d2d2e4e4c0789e62ad502 00"
        "b732ca59 22000000");

connect::CallRequest AskCompressed(CallOptions options = {}) {
  return {.path = "/s.S/M", .kind = connect::CallKind::kUnary, .options = std::move(options)};
}

Headers UnaryGzipHeaders() {
  return {{"content-type", "application/proto"}, {"content-encoding", "gzip"}};
}

CallLog PlayCompressedUnary(const Pieces& pieces, const CallOptions& options = {}) {
  UnaryCall call(AskCompressed(options));
  return Play(call, {.headers = UnaryGzipHeaders(), .body = pieces});
}

TEST(UnaryCompression, SendsAMessageOfTheLeastSizeCompressedAndSaysSo) {
  const CallOptions options = {.send_compression = Compression::kGzip, .compress_min_bytes = 10};
  const Headers plain = {{"content-type", "application/proto"},
                         {"connect-protocol-version", "1"},
                         {"accept-encoding", "gzip"}};
  std::string out;
  UnaryCall small(AskCompressed(options));
  ASSERT_THAT(small.Encode("123456789", out), IsOk());
  EXPECT_EQ(out, "123456789");
  EXPECT_EQ(small.RequestHeaders(), plain);

  out.clear();
  UnaryCall large(AskCompressed(options));
  ASSERT_THAT(large.Encode("1234567890", out), IsOk());
  EXPECT_THAT(wire::Gunzip(out, 10), IsOkAndHolds("1234567890"));
  EXPECT_EQ(large.RequestHeaders(), (Headers{{"content-type", "application/proto"},
                                             {"connect-protocol-version", "1"},
                                             {"content-encoding", "gzip"},
                                             {"accept-encoding", "gzip"}}));
  EXPECT_EQ(large.get_query(), "");
}

TEST(UnaryCompression, CountsTheSendLimitBeforeIt) {
  const CallOptions options = {
      .send_compression = Compression::kGzip, .compress_min_bytes = 0, .max_send_bytes = 1000};
  std::string out;
  EXPECT_THAT(UnaryCall(AskCompressed(options)).Encode(std::string(1000, 'x'), out), IsOk());
  EXPECT_LT(out.size(), 100u);
  out.clear();
  EXPECT_THAT(UnaryCall(AskCompressed(options)).Encode(std::string(1001, 'x'), out),
              StatusIs(StatusCode::kResourceExhausted));
  EXPECT_EQ(out, "");
}

TEST(UnaryCompression, IsUndoneAtEverySplit) {
  ForEachSplit(kHelloMessage, [](const Pieces& pieces) {
    const CallLog log = PlayCompressedUnary(pieces);
    EXPECT_THAT(log.order, ElementsAre("head", "message", "end"));
    EXPECT_THAT(log.messages, ElementsAre("hello, hello, hello"));
    EXPECT_EQ(log.headers, UnaryGzipHeaders());
    EXPECT_THAT(log.end(), IsOk());
    EXPECT_EQ(log.message_credit, 0u);
  });
}

TEST(UnaryCompression, TakesNoBytesForAnEmptyMessage) {
  const CallLog log = PlayCompressedUnary({});
  EXPECT_THAT(log.messages, ElementsAre(""));
  EXPECT_THAT(log.end(), IsOk());
}

TEST(UnaryCompression, EndsTheCallIfItIsBroken) {
  const struct {
    const char* name;
    std::string body;
  } kCases[] = {
      {"none", "hello"},
      {"cut", kHelloMessage.substr(0, kHelloMessage.size() - 1)},
      {"more after it", kHelloMessage + "x"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    ForEachSplit(c.body, [](const Pieces& pieces) {
      const CallLog log = PlayCompressedUnary(pieces);
      EXPECT_THAT(log.order, ElementsAre("head", "end"));
      EXPECT_THAT(log.end(), StatusIs(StatusCode::kInternal, HasSubstr("gzip")));
      EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kProtocol));
    });
  }
}

TEST(UnaryCompression, RefusesWhatWasNotOffered) {
  const struct {
    const char* name;
    const char* encoding;
    Compression accepted;
  } kCases[] = {
      {"gzip, and nothing offered", "gzip", Compression::kIdentity},
      {"an unknown one", "br", Compression::kGzip},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    UnaryCall call(AskCompressed({.accept_compression = c.accepted}));
    const CallLog log = Play(
        call, {.headers = {{"content-type", "application/proto"}, {"content-encoding", c.encoding}},
               .body = {kHelloMessage}});
    EXPECT_THAT(log.order, ElementsAre("head", "end"));
    EXPECT_THAT(log.end(), StatusIs(StatusCode::kInternal, HasSubstr(c.encoding)));
    EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kProtocol));
  }
}

TEST(UnaryCompression, HoldsTheReceiveLimitDecompressed) {
  ForEachSplit(kHelloMessage, [](const Pieces& pieces) {
    EXPECT_THAT(PlayCompressedUnary(pieces, {.max_receive_bytes = 19}).end(), IsOk());
    const CallLog over = PlayCompressedUnary(pieces, {.max_receive_bytes = 18});
    EXPECT_THAT(over.order, ElementsAre("head", "end"));
    EXPECT_THAT(over.end(), StatusIs(StatusCode::kResourceExhausted, HasSubstr("18 bytes")));
    EXPECT_THAT(over.end(), HasOrigin(ErrorOrigin::kProtocol));
  });
}

TEST(UnaryCompression, HoldsALimitBeforeDecompressionToo) {
  constexpr size_t kLimit = 100;
  constexpr size_t kMost = kLimit + CompressionSlack(kLimit);
  const struct {
    const char* name;
    Headers headers;
    size_t taken;
  } kCases[] = {
      {"compressed", UnaryGzipHeaders(), kMost},
      {"not compressed", {{"content-type", "application/proto"}}, kLimit},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    UnaryCall call(AskCompressed({.max_receive_bytes = kLimit}));
    CallLog log;
    call.OnHeaders(200, c.headers);
    call.OnBody(std::string(c.taken, 'x'));
    Drain(call, log);
    EXPECT_THAT(log.order, ElementsAre("head"));
    call.OnBody("x");
    Drain(call, log);
    EXPECT_THAT(log.end(), StatusIs(StatusCode::kResourceExhausted));
  }
}

TEST(UnaryCompression, IsUndoneInTheBodyOfAnError) {
  ForEachSplit(kNotFound, [](const Pieces& pieces) {
    UnaryCall call(AskCompressed());
    const CallLog log =
        Play(call, {.http_status = 404, .headers = {{"content-encoding", "gzip"}}, .body = pieces});
    EXPECT_THAT(log.order, ElementsAre("head", "end"));
    EXPECT_THAT(log.end(), StatusIs(StatusCode::kNotFound, "m"));
    EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kServer));
    EXPECT_THAT(log.end(), HasHttpStatus(404));
  });
}

// The HTTP status of an error says enough: nothing about its body makes it another error.
TEST(UnaryCompression, LeavesTheHttpStatusOfAnErrorThatCannotBeDecompressed) {
  const std::string json = R"({"code":"not_found","message":"m"})";
  const std::string exact = wire::Gzip(json + std::string(kMiB - json.size(), ' '));
  const std::string over = wire::Gzip(json + std::string(kMiB + 1 - json.size(), ' '));
  const struct {
    const char* name;
    const char* encoding;
    std::string body;
    StatusCode code;
  } kCases[] = {
      {"unknown encoding", "br", kNotFound, StatusCode::kUnavailable},
      {"unknown encoding of what is plain", "br", json, StatusCode::kNotFound},
      {"none", "gzip", "no gzip", StatusCode::kUnavailable},
      {"cut", "gzip", kNotFound.substr(0, 20), StatusCode::kUnavailable},
      {"no bytes", "gzip", "", StatusCode::kUnavailable},
      {"exactly the limit", "gzip", exact, StatusCode::kNotFound},
      {"one byte over the limit", "gzip", over, StatusCode::kUnavailable},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    UnaryCall call(AskCompressed());
    const CallLog log =
        Play(call,
             {.http_status = 503, .headers = {{"content-encoding", c.encoding}}, .body = {c.body}});
    EXPECT_THAT(log.order, ElementsAre("head", "end"));
    EXPECT_THAT(log.end(), StatusIs(c.code));
    EXPECT_THAT(log.end(), HasOrigin(ErrorOrigin::kServer));
    EXPECT_THAT(log.end(), HasHttpStatus(503));
  }
}

TEST(UnaryGet, PutsTheRequestIntoTheQuery) {
  const struct {
    const char* name;
    CallOptions options;
    const char* message;
    const char* query;
    Headers headers;
  } kCases[] = {
      {"proto",
       {.http_method = HttpMethod::kGet},
       "\x0a\x03"
       "abc",
       "?connect=v1&base64=1&encoding=proto&message=CgNhYmM",
       {{"accept-encoding", "gzip"}}},
      {"json, nothing accepted, a timeout",
       {.codec = Codec::kJson,
        .accept_compression = Compression::kIdentity,
        .http_method = HttpMethod::kGet,
        .timeout = std::chrono::seconds(2)},
       "{}",
       "?connect=v1&encoding=json&message=%7B%7D",
       {{"connect-timeout-ms", "2000"}}},
      {"compression, and too small for it",
       {.send_compression = Compression::kGzip, .http_method = HttpMethod::kGet},
       "a",
       "?connect=v1&base64=1&encoding=proto&message=YQ",
       {{"accept-encoding", "gzip"}}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    UnaryCall call(AskCompressed(c.options));
    EXPECT_TRUE(call.encodes_first());
    std::string out;
    ASSERT_THAT(call.Encode(c.message, out), IsOk());
    EXPECT_EQ(out, "");
    EXPECT_EQ(call.get_query(), c.query);
    EXPECT_EQ(call.RequestHeaders(), c.headers);
  }
}

TEST(UnaryGet, MayBeCompressed) {
  UnaryCall call(AskCompressed({.send_compression = Compression::kGzip,
                                .compress_min_bytes = 0,
                                .http_method = HttpMethod::kGet}));
  const std::string message(10'000, 'x');
  std::string out;
  ASSERT_THAT(call.Encode(message, out), IsOk());
  EXPECT_EQ(out, "");
  EXPECT_EQ(call.get_query(), GetQuery(wire::Gzip(message), Codec::kProto, Compression::kGzip));
  EXPECT_EQ(call.RequestHeaders(), (Headers{{"accept-encoding", "gzip"}}));
}

TEST(UnaryGet, FallsBackToPostOverTheLongestUrl) {
  const std::string query = "?connect=v1&base64=1&encoding=proto&message=YWJj";
  const size_t url_bytes = AskCompressed().path.size() + query.size();
  std::string out;
  UnaryCall fits(AskCompressed({.http_method = HttpMethod::kGet, .max_get_url_bytes = url_bytes}));
  ASSERT_THAT(fits.Encode("abc", out), IsOk());
  EXPECT_EQ(fits.get_query(), query);
  EXPECT_EQ(out, "");

  UnaryCall over(
      AskCompressed({.http_method = HttpMethod::kGet, .max_get_url_bytes = url_bytes - 1}));
  ASSERT_THAT(over.Encode("abc", out), IsOk());
  EXPECT_EQ(over.get_query(), "");
  EXPECT_EQ(out, "abc");
  EXPECT_EQ(over.RequestHeaders(), (Headers{{"content-type", "application/proto"},
                                            {"connect-protocol-version", "1"},
                                            {"accept-encoding", "gzip"}}));

  out.clear();
  UnaryCall compressed(AskCompressed({.send_compression = Compression::kGzip,
                                      .compress_min_bytes = 0,
                                      .http_method = HttpMethod::kGet,
                                      .max_get_url_bytes = 10}));
  ASSERT_THAT(compressed.Encode("abc", out), IsOk());
  EXPECT_EQ(compressed.get_query(), "");
  EXPECT_THAT(wire::Gunzip(out, 3), IsOkAndHolds("abc"));
  EXPECT_EQ(compressed.RequestHeaders().Get("content-encoding"), "gzip");
}

TEST(UnaryGet, IsRefusedOverTheSendLimitAndMayBeTriedAgain) {
  UnaryCall call(AskCompressed({.http_method = HttpMethod::kGet, .max_send_bytes = 3}));
  std::string out;
  EXPECT_THAT(call.Encode("abcd", out), StatusIs(StatusCode::kResourceExhausted));
  EXPECT_EQ(call.get_query(), "");
  EXPECT_THAT(call.Encode("abc", out), IsOk());
  EXPECT_NE(call.get_query(), "");
}

}  // namespace
}  // namespace cursorwire::rpc
