#include "rpc/error_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "cursorwire/connect/error_info.h"
#include "support/errors.h"
#include "support/status_matchers.h"
#include "wire/json.h"

namespace cursorwire::rpc {
namespace {

using absl::StatusCode;
using connect::ErrorDetail;
using connect::ErrorInfo;
using connect::ErrorOrigin;
using test::HasHttpStatus;
using test::HasOrigin;
using test::StatusIs;
using ::testing::AllOf;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::Not;
using ::testing::Optional;
using ::testing::SizeIs;

absl::Status FromText(std::string_view text, StatusCode default_code = StatusCode::kUnknown,
                      int http_status = 200) {
  const absl::StatusOr<wire::Json> json = wire::ParseJson(text);
  EXPECT_TRUE(json.ok()) << text;
  return json.ok() ? StatusFromErrorJson(*json, default_code, http_status) : json.status();
}

std::vector<ErrorDetail> Details(const absl::Status& status) {
  return connect::GetErrorInfo(status).value_or(ErrorInfo{}).details;
}

TEST(StatusFromErrorJson, KeepsCodeMessageAndDetails) {
  const absl::Status status = FromText(
      R"({"code": "out_of_range", "message": "oops", "other": [1],
          "details": [{"type": "a.B", "value": "Cgp0", "frob": 1, "debug": {"x": [true, null]}},
                      {"type": "c.D", "value": ""}]})",
      StatusCode::kUnknown, 422);
  EXPECT_THAT(status, StatusIs(StatusCode::kOutOfRange, "oops"));
  EXPECT_THAT(connect::GetErrorInfo(status),
              Optional(ErrorInfo{
                  .origin = ErrorOrigin::kServer,
                  .http_status = 422,
                  .details = {{"a.B", "\x0a\x0a\x74", R"({"x":[true,null]})"}, {"c.D", "", ""}}}));
}

TEST(StatusFromErrorJson, TakesTheDefaultForACodeItDoesNotKnow) {
  const struct {
    const char* name;
    const char* json;
    StatusCode default_code;
    StatusCode code;
    const char* unknown_code;
  } kCases[] = {
      {"known", R"({"code":"aborted","message":"m"})", StatusCode::kUnknown, StatusCode::kAborted,
       ""},
      {"unknown", R"({"code":"foobar","message":"m"})", StatusCode::kUnknown, StatusCode::kUnknown,
       "foobar"},
      {"unknown with another default", R"({"code":"foobar","message":"m"})",
       StatusCode::kUnavailable, StatusCode::kUnavailable, "foobar"},
      {"an OK that is an error", R"({"code":"ok","message":"m"})", StatusCode::kUnknown,
       StatusCode::kUnknown, "ok"},
      {"missing", R"({"message":"m"})", StatusCode::kUnknown, StatusCode::kUnknown, ""},
      {"missing with another default", R"({"message":"m"})", StatusCode::kUnauthenticated,
       StatusCode::kUnauthenticated, ""},
      {"empty", R"({"code":"","message":"m"})", StatusCode::kUnknown, StatusCode::kUnknown, ""},
      {"null", R"({"code":null,"message":"m"})", StatusCode::kUnknown, StatusCode::kUnknown, ""},
      {"number", R"({"code":10,"message":"m"})", StatusCode::kUnknown, StatusCode::kUnknown, ""},
      {"array", R"({"code":["aborted"],"message":"m"})", StatusCode::kUnknown, StatusCode::kUnknown,
       ""},
      {"object", R"({"code":{"code":"aborted"},"message":"m"})", StatusCode::kUnknown,
       StatusCode::kUnknown, ""},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::Status status = FromText(c.json, c.default_code);
    EXPECT_THAT(status, StatusIs(c.code, "m"));
    EXPECT_THAT(connect::GetErrorInfo(status), Optional(ErrorInfo{.origin = ErrorOrigin::kServer,
                                                                  .http_status = 200,
                                                                  .unknown_code = c.unknown_code}));
  }
}

TEST(StatusFromErrorJson, DoesWithoutAMessage) {
  const struct {
    const char* name;
    const char* json;
  } kCases[] = {
      {"missing", R"({"code":"aborted"})"},
      {"null", R"({"code":"aborted","message":null})"},
      {"number", R"({"code":"aborted","message":5})"},
      {"object", R"({"code":"aborted","message":{}})"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_THAT(FromText(c.json), StatusIs(StatusCode::kAborted, ""));
  }
}

TEST(StatusFromErrorJson, ReadsBase64WithAndWithoutPadding) {
  const struct {
    const char* name;
    const char* base64;
    std::string value;
  } kCases[] = {
      {"no bytes", "", ""},
      {"one byte, padded", "QQ==", "A"},
      {"one byte", "QQ", "A"},
      {"two bytes, padded", "QUI=", "AB"},
      {"two bytes", "QUI", "AB"},
      {"three bytes", "QUJD", "ABC"},
      {"the two letters of the standard alphabet", "+/8=", "\xfb\xff"},
      {"zero bytes", "AAAA", std::string(3, '\0')},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const std::string json =
        std::string(R"({"code":"aborted","details":[{"type":"a.B","value":")") + c.base64 +
        R"("}]})";
    EXPECT_EQ(Details(FromText(json)), (std::vector<ErrorDetail>{{"a.B", c.value, ""}}));
  }
}

TEST(StatusFromErrorJson, LeavesABrokenDetailOutAndKeepsTheRest) {
  const struct {
    const char* name;
    const char* detail;
  } kCases[] = {
      {"null", "null"},
      {"string", R"("x")"},
      {"number", "5"},
      {"array", R"(["type"])"},
      {"empty object", "{}"},
      {"no type", R"({"value":"QQ"})"},
      {"type of another kind", R"({"type":1,"value":"QQ"})"},
      {"no value", R"({"type":"a.B"})"},
      {"value of another kind", R"({"type":"a.B","value":["QQ"]})"},
      {"value null", R"({"type":"a.B","value":null})"},
      {"no base64", R"({"type":"a.B","value":"!!!!"})"},
      {"one letter of base64", R"({"type":"a.B","value":"Q"})"},
      {"padding in the middle", R"({"type":"a.B","value":"QQ==QQ=="})"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::Status status =
        FromText(std::string(R"({"code":"aborted","message":"m","details":[)") + c.detail +
                 R"(,{"type":"c.D","value":"QQ"}]})");
    EXPECT_THAT(status, StatusIs(StatusCode::kAborted, "m"));
    EXPECT_EQ(Details(status), (std::vector<ErrorDetail>{{"c.D", "A", ""}}));
  }
}

TEST(StatusFromErrorJson, KeepsTheErrorWhateverShapeTheDetailsHave) {
  for (const char* details :
       {"null", "{}", R"({"type":"a.B","value":"QQ"})", R"("x")", "5", "[]", "[[]]", "true"}) {
    SCOPED_TRACE(details);
    const absl::Status status =
        FromText(std::string(R"({"code":"aborted","message":"m","details":)") + details + "}");
    EXPECT_THAT(status, StatusIs(StatusCode::kAborted, "m"));
    EXPECT_THAT(Details(status), SizeIs(0));
  }
}

TEST(StatusFromErrorJson, BoundsWhatAPeerCanMakeItKeep) {
  constexpr size_t kCount = 10000;
  std::string json = R"({"code":")" + std::string(kCount, 'c') + R"(","message":")" +
                     std::string(1000 * kCount, 'm') + R"(","details":[)";
  for (size_t i = 0; i < kCount; ++i) {
    json += i == 0 ? "" : ",";
    json += R"({"type":"a.B","value":"QQ"})";
  }
  const absl::Status status = FromText(json + "]}");
  EXPECT_THAT(status,
              StatusIs(StatusCode::kUnknown, AllOf(SizeIs(Gt(1000u)), SizeIs(Lt(100000u)))));
  EXPECT_THAT(Details(status), AllOf(SizeIs(Gt(1u)), SizeIs(Lt(kCount))));
  EXPECT_LT(connect::GetErrorInfo(status)->unknown_code.size(), kCount);
}

TEST(StatusFromErrorJson, CutsALongMessageBetweenCharacters) {
  // At every offset of a three-byte character against the limit.
  for (size_t shift = 0; shift < 3; ++shift) {
    SCOPED_TRACE(shift);
    std::string message(shift, 'a');
    while (message.size() < 100000) message += "\xe2\x82\xac";  // U+20AC
    const absl::Status status = FromText(R"({"code":"aborted","message":")" + message + R"("})");
    EXPECT_LT(status.message().size(), message.size());
    EXPECT_TRUE(IsUtf8(ToStd(status.message())));
  }
}

TEST(StatusFromErrorBody, PrefersTheConnectErrorAndElseTakesTheHttpStatus) {
  const struct {
    const char* name;
    int http_status;
    std::string_view body;
    StatusCode code;
    const char* message;
  } kCases[] = {
      {"Connect error", 500, R"({"code":"not_found","message":"no such chat"})",
       StatusCode::kNotFound, "no such chat"},
      {"Connect error with space around", 422, " {\"code\":\"aborted\",\"message\":\"m\"}\r\n ",
       StatusCode::kAborted, "m"},
      {"unknown code", 429, R"({"code":"foobar","message":"oops"})", StatusCode::kUnavailable,
       "oops"},
      {"null code", 401, R"({"code":null,"message":"oops"})", StatusCode::kUnauthenticated, "oops"},
      // Conformance case error/missing-code of the Connect protocol.
      {"missing code", 401, R"({"message":"oops"})", StatusCode::kUnauthenticated, "oops"},
      {"code of another type", 404, R"({"code":5,"message":"oops"})", StatusCode::kUnimplemented,
       "oops"},
      {"null", 401, "null", StatusCode::kUnauthenticated, "HTTP status 401: null"},
      {"array", 403, R"([{"code":"aborted"}])", StatusCode::kPermissionDenied,
       R"(HTTP status 403: [{"code":"aborted"}])"},
      {"text", 503, "upstream gone", StatusCode::kUnavailable, "HTTP status 503: upstream gone"},
      {"empty", 404, "", StatusCode::kUnimplemented, "HTTP status 404"},
      {"JSON that was cut", 400, R"({"code":"aborted")", StatusCode::kInternal,
       R"(HTTP status 400: {"code":"aborted")"},
      {"bytes", 502, std::string_view("\x00\xff\n", 3), StatusCode::kUnavailable,
       "HTTP status 502: ???"},
      {"redirect", 307, "", StatusCode::kUnknown, "HTTP status 307"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::Status status = StatusFromErrorBody(c.body, c.http_status);
    EXPECT_THAT(status, StatusIs(c.code, c.message));
    EXPECT_THAT(status, HasOrigin(ErrorOrigin::kServer));
    EXPECT_THAT(status, HasHttpStatus(c.http_status));
  }
}

TEST(StatusFromErrorBody, SaysWhereARedirectLeads) {
  const std::string_view portal = "https://login.example/portal?token=secret#x";
  EXPECT_THAT(StatusFromErrorBody("moved", 302, portal),
              StatusIs(StatusCode::kUnknown,
                       "HTTP status 302, which leads to https://login.example/portal: moved"));
  EXPECT_THAT(StatusFromErrorBody("", 308, "/\x1b[2J"),
              StatusIs(StatusCode::kUnknown, "HTTP status 308, which leads to /?[2J"));
  EXPECT_THAT(StatusFromErrorBody("", 503, portal),
              StatusIs(StatusCode::kUnavailable, "HTTP status 503"));
  EXPECT_LT(StatusFromErrorBody("", 301, std::string(100000, 'x')).message().size(), 1000u);
}

TEST(StatusFromErrorBody, QuotesAPageInBounds) {
  const absl::Status status = StatusFromErrorBody("<html>" + std::string(100000, 'x'), 502);
  EXPECT_THAT(status, StatusIs(StatusCode::kUnavailable, HasSubstr("<html>")));
  EXPECT_LT(status.message().size(), 1000u);
  EXPECT_THAT(StatusFromErrorBody("a\x1b[31mb", 502),
              StatusIs(StatusCode::kUnavailable, Not(HasSubstr("\x1b"))));
}

}  // namespace
}  // namespace cursorwire::rpc
