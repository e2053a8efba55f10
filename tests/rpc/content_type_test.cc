#include "rpc/content_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "cursorwire/connect/error_info.h"
#include "support/errors.h"
#include "support/status_matchers.h"

namespace cursorwire::rpc {
namespace {

using absl::StatusCode;
using connect::CallKind;
using connect::CallOptions;
using connect::Codec;
using connect::ErrorOrigin;
using connect::Headers;
using std::chrono::milliseconds;
using test::HasHttpStatus;
using test::HasOrigin;
using test::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;

std::string_view EncodingHeader(CallKind kind) {
  return kind == CallKind::kStreaming ? "connect-content-encoding" : "content-encoding";
}

TEST(ContentType, NamesKindAndCodec) {
  EXPECT_EQ(ContentType(CallKind::kStreaming, Codec::kProto), "application/connect+proto");
  EXPECT_EQ(ContentType(CallKind::kStreaming, Codec::kJson), "application/connect+json");
  EXPECT_EQ(ContentType(CallKind::kUnary, Codec::kProto), "application/proto");
  EXPECT_EQ(ContentType(CallKind::kUnary, Codec::kJson), "application/json");
}

TEST(CheckResponseHeaders, ComparesTheContentType) {
  const struct {
    const char* name;
    CallKind kind;
    Codec codec;
    Headers headers;
    StatusCode code;
  } kCases[] = {
      {"stream of proto",
       CallKind::kStreaming,
       Codec::kProto,
       {{"content-type", "application/connect+proto"}},
       StatusCode::kOk},
      {"stream of json",
       CallKind::kStreaming,
       Codec::kJson,
       {{"content-type", "application/connect+json"}},
       StatusCode::kOk},
      {"unary proto",
       CallKind::kUnary,
       Codec::kProto,
       {{"content-type", "application/proto"}},
       StatusCode::kOk},
      {"unary json",
       CallKind::kUnary,
       Codec::kJson,
       {{"content-type", "application/json"}},
       StatusCode::kOk},
      {"unary json with charset",
       CallKind::kUnary,
       Codec::kJson,
       {{"content-type", "application/json; charset=utf-8"}},
       StatusCode::kOk},
      {"parameter and space",
       CallKind::kStreaming,
       Codec::kProto,
       {{"content-type", "application/connect+proto ;x=y"}},
       StatusCode::kOk},
      {"upper case",
       CallKind::kStreaming,
       Codec::kProto,
       {{"content-type", "Application/Connect+Proto"}},
       StatusCode::kOk},
      {"stream of the other codec",
       CallKind::kStreaming,
       Codec::kProto,
       {{"content-type", "application/connect+json"}},
       StatusCode::kInternal},
      {"stream of the other codec, reversed",
       CallKind::kStreaming,
       Codec::kJson,
       {{"content-type", "application/connect+proto"}},
       StatusCode::kInternal},
      {"unary of the other codec",
       CallKind::kUnary,
       Codec::kProto,
       {{"content-type", "application/json"}},
       StatusCode::kInternal},
      {"unary of the other codec, reversed",
       CallKind::kUnary,
       Codec::kJson,
       {{"content-type", "application/proto"}},
       StatusCode::kInternal},
      {"none", CallKind::kStreaming, Codec::kProto, {{"server", "x"}}, StatusCode::kUnknown},
      {"empty", CallKind::kStreaming, Codec::kProto, {{"content-type", ""}}, StatusCode::kUnknown},
      {"a page",
       CallKind::kStreaming,
       Codec::kProto,
       {{"content-type", "text/html; charset=utf-8"}},
       StatusCode::kUnknown},
      {"a picture",
       CallKind::kUnary,
       Codec::kProto,
       {{"content-type", "image/jpeg"}},
       StatusCode::kUnknown},
      {"gRPC",
       CallKind::kStreaming,
       Codec::kProto,
       {{"content-type", "application/grpc+proto"}},
       StatusCode::kUnknown},
      {"the right type in a parameter",
       CallKind::kStreaming,
       Codec::kProto,
       {{"content-type", "text/plain; application/connect+proto"}},
       StatusCode::kUnknown},
      {"the right type with more behind it",
       CallKind::kUnary,
       Codec::kProto,
       {{"content-type", "application/protobuf"}},
       StatusCode::kUnknown},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::Status status =
        CheckResponseHeaders(c.headers, c.kind, c.codec, EncodingHeader(c.kind));
    EXPECT_THAT(status, StatusIs(c.code));
    if (c.code == StatusCode::kOk) continue;
    EXPECT_THAT(status, HasOrigin(ErrorOrigin::kProtocol));
    EXPECT_THAT(status, HasHttpStatus(200));
    EXPECT_THAT(status, StatusIs(c.code, HasSubstr(ContentType(c.kind, c.codec))));
  }
}

TEST(CheckResponseHeaders, RefusesACompressionSinceNoneWasOffered) {
  const struct {
    const char* name;
    CallKind kind;
    const char* header;
    const char* encoding;
    StatusCode code;
  } kCases[] = {
      {"stream, identity", CallKind::kStreaming, "connect-content-encoding", "identity",
       StatusCode::kOk},
      {"stream, gzip", CallKind::kStreaming, "connect-content-encoding", "gzip",
       StatusCode::kInternal},
      {"stream, no known one", CallKind::kStreaming, "connect-content-encoding", "foo",
       StatusCode::kInternal},
      {"unary, identity", CallKind::kUnary, "content-encoding", "identity", StatusCode::kOk},
      {"unary, gzip", CallKind::kUnary, "content-encoding", "gzip", StatusCode::kInternal},
      {"unary, no known one", CallKind::kUnary, "content-encoding", "foo", StatusCode::kInternal},
      {"unary, the stream's header", CallKind::kUnary, "connect-content-encoding", "gzip",
       StatusCode::kOk},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const Headers headers = {{"content-type", ContentType(c.kind, Codec::kProto)},
                             {c.header, c.encoding}};
    const absl::Status status =
        CheckResponseHeaders(headers, c.kind, Codec::kProto, EncodingHeader(c.kind));
    EXPECT_THAT(status, StatusIs(c.code));
    if (c.code == StatusCode::kOk) continue;
    EXPECT_THAT(status, StatusIs(c.code, HasSubstr(c.encoding)));
    EXPECT_THAT(status, HasOrigin(ErrorOrigin::kProtocol));
  }
}

TEST(CheckResponseHeaders, QuotesHostileTextInBoundsAndPrintable) {
  const Headers headers = {{"content-type", "text/\x1b[31m" + std::string(100000, 'x')}};
  const absl::Status status = CheckResponseHeaders(headers, CallKind::kUnary, Codec::kProto,
                                                   EncodingHeader(CallKind::kUnary));
  EXPECT_THAT(status, StatusIs(StatusCode::kUnknown, Not(HasSubstr("\x1b"))));
  EXPECT_LT(status.message().size(), 1000u);
}

TEST(ProtocolHeaders, AnnouncesTheTimeoutOnlyWhenTold) {
  const struct {
    const char* name;
    CallKind kind;
    CallOptions options;
    Headers headers;
  } kCases[] = {
      {"stream without timeout",
       CallKind::kStreaming,
       {},
       {{"content-type", "application/connect+proto"}, {"connect-protocol-version", "1"}}},
      {"stream with timeout",
       CallKind::kStreaming,
       {.timeout = milliseconds(2500)},
       {{"content-type", "application/connect+proto"},
        {"connect-protocol-version", "1"},
        {"connect-timeout-ms", "2500"}}},
      {"stream with a timeout of its own",
       CallKind::kStreaming,
       {.timeout = milliseconds(2500), .announce_timeout = connect::AnnounceTimeout::kNo},
       {{"content-type", "application/connect+proto"}, {"connect-protocol-version", "1"}}},
      {"stream with an idle timeout alone",
       CallKind::kStreaming,
       {.idle_timeout = milliseconds(2500)},
       {{"content-type", "application/connect+proto"}, {"connect-protocol-version", "1"}}},
      {"unary of json",
       CallKind::kUnary,
       {.codec = Codec::kJson},
       {{"content-type", "application/json"}, {"connect-protocol-version", "1"}}},
      {"unary with timeout",
       CallKind::kUnary,
       {.timeout = milliseconds(1)},
       {{"content-type", "application/proto"},
        {"connect-protocol-version", "1"},
        {"connect-timeout-ms", "1"}}},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(ProtocolHeaders(c.kind, c.options), c.headers);
  }
}

}  // namespace
}  // namespace cursorwire::rpc
