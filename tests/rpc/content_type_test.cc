#include "rpc/content_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cursorwire/connect/error_info.h"
#include "support/errors.h"
#include "support/status_matchers.h"

namespace cursorwire::rpc {
namespace {

using absl::StatusCode;
using connect::CallKind;
using connect::Codec;
using connect::ErrorOrigin;
using connect::Headers;
using test::HasHttpStatus;
using test::HasOrigin;
using test::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ContentType, NamesKindAndCodec) {
  EXPECT_EQ(ContentType(CallKind::kStreaming, Codec::kProto), "application/connect+proto");
  EXPECT_EQ(ContentType(CallKind::kStreaming, Codec::kJson), "application/connect+json");
  EXPECT_EQ(ContentType(CallKind::kUnary, Codec::kProto), "application/proto");
  EXPECT_EQ(ContentType(CallKind::kUnary, Codec::kJson), "application/json");
}

TEST(CheckContentType, ComparesTheContentType) {
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
      {"the right type with more after it",
       CallKind::kUnary,
       Codec::kProto,
       {{"content-type", "application/protobuf"}},
       StatusCode::kUnknown},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::Status status = CheckContentType(c.headers, c.kind, c.codec);
    EXPECT_THAT(status, StatusIs(c.code));
    if (c.code == StatusCode::kOk) continue;
    EXPECT_THAT(status, HasOrigin(ErrorOrigin::kProtocol));
    EXPECT_THAT(status, HasHttpStatus(200));
    EXPECT_THAT(status, StatusIs(c.code, HasSubstr(ContentType(c.kind, c.codec))));
  }
}

TEST(CheckContentType, QuotesHostileTextInBoundsAndPrintable) {
  const Headers headers = {{"content-type", "text/\x1b[31m" + std::string(100000, 'x')}};
  const absl::Status status = CheckContentType(headers, CallKind::kUnary, Codec::kProto);
  EXPECT_THAT(status, StatusIs(StatusCode::kUnknown, Not(HasSubstr("\x1b"))));
  EXPECT_LT(status.message().size(), 1000u);
}

}  // namespace
}  // namespace cursorwire::rpc
