#include "api/api_error.h"

#include <cursorwire/connect/error_info.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace cursor_gateway {
namespace {

using cursorwire::connect::ErrorInfo;
using cursorwire::connect::ErrorOrigin;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

absl::Status Upstream(absl::StatusCode code, ErrorOrigin origin = ErrorOrigin::kServer) {
  absl::Status status(code, "why");
  cursorwire::connect::SetErrorInfo(status, {.origin = origin});
  return status;
}

absl::Status Exhausted(bool retryable) {
  absl::Status status(absl::StatusCode::kResourceExhausted, "limit");
  const std::string details =
      std::string(R"({"error":"ERROR_RATE_LIMITED","details":{"title":"t","detail":"d")") +
      R"(,"isRetryable":)" + (retryable ? "true" : "false") + "}}";
  cursorwire::connect::SetErrorInfo(
      status,
      {.origin = ErrorOrigin::kServer,
       .details = {{.type = "aiserver.v1.ErrorDetails", .value = "", .debug_json = details}}});
  return status;
}

TEST(ApiError, MapsEachCodeOfTheService) {
  struct Case {
    absl::StatusCode code;
    int status;
    const char* api_code;
  };
  const Case cases[] = {
      {absl::StatusCode::kUnauthenticated, 401, "upstream_unauthenticated"},
      {absl::StatusCode::kPermissionDenied, 403, "upstream_permission_denied"},
      {absl::StatusCode::kNotFound, 404, "model_not_found"},
      {absl::StatusCode::kResourceExhausted, 429, "rate_limit_exceeded"},
      {absl::StatusCode::kInvalidArgument, 400, "upstream_invalid_argument"},
      {absl::StatusCode::kFailedPrecondition, 400, "upstream_failed_precondition"},
      {absl::StatusCode::kOutOfRange, 400, "upstream_out_of_range"},
      {absl::StatusCode::kDeadlineExceeded, 504, "upstream_deadline_exceeded"},
      {absl::StatusCode::kUnavailable, 503, "upstream_unavailable"},
      {absl::StatusCode::kInternal, 502, "upstream_internal"},
      {absl::StatusCode::kUnknown, 502, "upstream_unknown"},
      {absl::StatusCode::kDataLoss, 502, "upstream_data_loss"},
      {absl::StatusCode::kCancelled, 502, "upstream_canceled"},
      {absl::StatusCode::kAborted, 502, "upstream_aborted"},
      {absl::StatusCode::kUnimplemented, 501, "upstream_unimplemented"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.api_code);
    const ApiError error = ApiErrorOf(Upstream(c.code));
    EXPECT_EQ(error.status, c.status);
    EXPECT_EQ(error.code, c.api_code);
    EXPECT_THAT(error.message, HasSubstr("why"));
  }
}

TEST(ApiError, SaysWhetherToTryAgain) {
  EXPECT_EQ(ApiErrorOf(Upstream(absl::StatusCode::kUnauthenticated)).should_retry, false);
  EXPECT_EQ(ApiErrorOf(Upstream(absl::StatusCode::kPermissionDenied)).should_retry, false);
  EXPECT_EQ(ApiErrorOf(Upstream(absl::StatusCode::kUnavailable)).should_retry, std::nullopt);
  const ApiError quota = ApiErrorOf(Exhausted(false));
  EXPECT_EQ(quota.status, 429);
  EXPECT_EQ(quota.code, "insufficient_quota");
  EXPECT_EQ(quota.should_retry, false);
  const ApiError rate = ApiErrorOf(Exhausted(true));
  EXPECT_EQ(rate.code, "rate_limit_exceeded");
  EXPECT_GT(rate.retry_after_seconds, 0);
}

TEST(ApiError, KnowsALimitOfOurOwn) {
  EXPECT_EQ(ApiErrorOf(Upstream(absl::StatusCode::kResourceExhausted, ErrorOrigin::kLocal)).status,
            400);
}

TEST(ApiError, NeverShowsACredential) {
  const ApiError error = ApiErrorOf(
      absl::InternalError("sent Bearer abcdefghijklmnopqrstuvwxyz0123456789 and failed"));
  EXPECT_THAT(error.message, Not(HasSubstr("abcdefghijklmnopqrstuvwxyz")));
  EXPECT_FALSE(ApiErrorOf(absl::InternalError("")).message.empty());
}

TEST(ApiError, KeepsOurOwnErrors) {
  const ApiError error = ApiErrorOf(BadRequest("no", "messages", "unsupported_value"));
  EXPECT_EQ(error.status, 400);
  EXPECT_EQ(error.param, "messages");
  EXPECT_EQ(error.code, "unsupported_value");
  const ApiError busy = ApiErrorOf(ToStatus({.status = 429,
                                             .type = "rate_limit_error",
                                             .message = "busy",
                                             .should_retry = true,
                                             .retry_after_seconds = 3}));
  EXPECT_EQ(busy.status, 429);
  EXPECT_EQ(busy.should_retry, true);
  EXPECT_EQ(busy.retry_after_seconds, 3);
  EXPECT_EQ(json::parse(ErrorBody(error)),
            json::parse(R"({"error":{"message":"no","type":"invalid_request_error",
                                     "param":"messages","code":"unsupported_value"}})"));
}

}  // namespace
}  // namespace cursor_gateway
