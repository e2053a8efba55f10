#include "rpc/http_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "cursorwire/connect/error_info.h"
#include "support/status_matchers.h"

namespace cursorwire::rpc {
namespace {

using absl::StatusCode;
using connect::ErrorInfo;
using connect::ErrorOrigin;
using test::StatusIs;
using ::testing::HasSubstr;
using ::testing::Optional;

TEST(CodeFromHttpStatus, FollowsTheConnectProtocol) {
  const struct {
    const char* name;
    int http_status;
    StatusCode code;
  } kCases[] = {
      {"bad request", 400, StatusCode::kInternal},
      {"unauthorized", 401, StatusCode::kUnauthenticated},
      {"forbidden", 403, StatusCode::kPermissionDenied},
      {"not found", 404, StatusCode::kUnimplemented},
      {"too many requests", 429, StatusCode::kUnavailable},
      {"bad gateway", 502, StatusCode::kUnavailable},
      {"service unavailable", 503, StatusCode::kUnavailable},
      {"gateway timeout", 504, StatusCode::kUnavailable},
      {"none", 0, StatusCode::kUnknown},
      {"created", 201, StatusCode::kUnknown},
      {"no content", 204, StatusCode::kUnknown},
      {"moved", 301, StatusCode::kUnknown},
      {"not modified", 304, StatusCode::kUnknown},
      {"temporary redirect", 307, StatusCode::kUnknown},
      {"payment required", 402, StatusCode::kUnknown},
      {"method not allowed", 405, StatusCode::kUnknown},
      {"request timeout", 408, StatusCode::kUnknown},
      {"conflict", 409, StatusCode::kUnknown},
      {"content too large", 413, StatusCode::kUnknown},
      {"unsupported media type", 415, StatusCode::kUnknown},
      {"teapot", 418, StatusCode::kUnknown},
      {"header fields too large", 431, StatusCode::kUnknown},
      {"server error", 500, StatusCode::kUnknown},
      {"not implemented", 501, StatusCode::kUnknown},
      {"version not supported", 505, StatusCode::kUnknown},
      {"out of range", 999, StatusCode::kUnknown},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(CodeFromHttpStatus(c.http_status), c.code);
  }
}

TEST(HttpStatus, ReadsThePseudoHeader) {
  const struct {
    const char* name;
    connect::Headers headers;
    int http_status;
  } kCases[] = {
      {"ok", {{":status", "200"}}, 200},
      {"after another field", {{"server", "x"}, {":status", "503"}}, 503},
      {"missing", {{"status", "200"}}, 0},
      {"no headers", {}, 0},
      {"empty", {{":status", ""}}, 0},
      {"a word", {{":status", "OK"}}, 0},
      {"a number and a word", {{":status", "200 OK"}}, 0},
      {"too large for an int", {{":status", "4294967496"}}, 0},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(HttpStatus(c.headers), c.http_status);
  }
}

TEST(StatusFromReset, KnowsEveryErrorCodeOfHttp2) {
  const struct {
    const char* name;  // RFC 9113, section 7
    uint32_t http2_code;
    StatusCode code;
  } kCases[] = {
      {"NO_ERROR", 0x0, StatusCode::kInternal},
      {"PROTOCOL_ERROR", 0x1, StatusCode::kInternal},
      {"INTERNAL_ERROR", 0x2, StatusCode::kInternal},
      {"FLOW_CONTROL_ERROR", 0x3, StatusCode::kInternal},
      {"SETTINGS_TIMEOUT", 0x4, StatusCode::kInternal},
      {"STREAM_CLOSED", 0x5, StatusCode::kInternal},
      {"FRAME_SIZE_ERROR", 0x6, StatusCode::kInternal},
      {"REFUSED_STREAM", 0x7, StatusCode::kUnavailable},
      {"CANCEL", 0x8, StatusCode::kCancelled},
      {"COMPRESSION_ERROR", 0x9, StatusCode::kInternal},
      {"CONNECT_ERROR", 0xa, StatusCode::kInternal},
      {"ENHANCE_YOUR_CALM", 0xb, StatusCode::kResourceExhausted},
      {"INADEQUATE_SECURITY", 0xc, StatusCode::kPermissionDenied},
      {"HTTP_1_1_REQUIRED", 0xd, StatusCode::kInternal},
      {"14", 0xe, StatusCode::kInternal},
      {"4294967295", 0xffffffff, StatusCode::kInternal},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::Status status = StatusFromReset(c.http2_code);
    EXPECT_THAT(status, StatusIs(c.code, HasSubstr(c.name)));
    // Only a stream that was refused cannot have been acted upon (RFC 9113, 8.7).
    EXPECT_THAT(connect::GetErrorInfo(status),
                Optional(ErrorInfo{.origin = ErrorOrigin::kTransport,
                                   .replay_safe = c.http2_code == 0x7,
                                   .http2_code = c.http2_code}));
  }
}

}  // namespace
}  // namespace cursorwire::rpc
