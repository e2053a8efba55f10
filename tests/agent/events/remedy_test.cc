#include "cursorwire/chat_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "agent/events/error_message.h"
#include "agent/events/remedy.h"
#include "base/error.h"
#include "cursorwire/connect/error_info.h"
#include "support/hex.h"

namespace cursorwire::agent {
namespace {

using connect::ErrorDetail;
using connect::ErrorInfo;
using connect::ErrorOrigin;
using test::FromHex;

constexpr char kDetailsType[] = "aiserver.v1.ErrorDetails";
// ErrorDetails { details { title = "Title" } }
const std::string kTitle = FromHex("12 07 0A 05") + "Title";

TEST(RemedyOf, KnowsWhatCanBeDone) {
  const auto details = [](std::string_view error) {
    return std::vector<ErrorDetail>{{kDetailsType, FromHex(error), ""}};
  };
  const auto with_text = [](std::string_view error) {
    return std::vector<ErrorDetail>{{kDetailsType, FromHex(error) + kTitle, ""}};
  };
  const std::vector<ErrorDetail> named = {
      {kDetailsType, "", R"({"error":"ERROR_MODEL_BLOCKED","details":{"title":"T"}})"}};
  constexpr ErrorOrigin server = ErrorOrigin::kServer;
  const struct {
    const char* name;
    absl::StatusCode code;
    const char* message;
    ErrorInfo info;
    Remedy expected;
  } kCases[] = {
      {"bad model",
       absl::StatusCode::kNotFound,
       "Error",
       {.origin = server, .details = with_text("08 05")},
       Remedy::kOtherModel},
      {"blocked model, by name",
       absl::StatusCode::kPermissionDenied,
       "Error",
       {.origin = server, .details = named},
       Remedy::kOtherModel},
      {"another thing that is not found",
       absl::StatusCode::kNotFound,
       "no such file",
       {.origin = server, .details = with_text("08 21")},
       Remedy::kNone},
      {"not found without a detail",
       absl::StatusCode::kNotFound,
       "Error",
       {.origin = server},
       Remedy::kNone},
      {"a detail without a text",
       absl::StatusCode::kNotFound,
       "Error",
       {.origin = server, .details = details("08 05")},
       Remedy::kNone},
      {"usage limit",
       absl::StatusCode::kResourceExhausted,
       "Error",
       {.origin = server, .details = with_text("08 33")},
       Remedy::kHigherLimit},
      {"a limit of our own",
       absl::StatusCode::kResourceExhausted,
       "too long",
       {.origin = ErrorOrigin::kProtocol},
       Remedy::kNone},
      {"HTTP 401",
       absl::StatusCode::kUnauthenticated,
       "HTTP status 401",
       {.origin = server, .http_status = 401},
       Remedy::kNewToken},
      {"too long a conversation",
       absl::StatusCode::kInvalidArgument,
       "Error",
       {.origin = server, .details = with_text("08 2B")},
       Remedy::kNewConversation},
      {"HTTP 503",
       absl::StatusCode::kUnavailable,
       "HTTP status 503",
       {.origin = server, .http_status = 503},
       Remedy::kTryAgain},
      {"no connection",
       absl::StatusCode::kUnavailable,
       "connection refused",
       {.origin = ErrorOrigin::kTransport},
       Remedy::kNone},
      {"an old client",
       absl::StatusCode::kFailedPrecondition,
       "Error",
       {.origin = server, .details = with_text("08 1E")},
       Remedy::kNewerClient},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.name);
    const absl::Status status = MakeError(c.code, c.message, c.info);
    EXPECT_EQ(RemedyOf(status), c.expected);
    // The same for the status that a stream hands out.
    EXPECT_EQ(RemedyOf(WithErrorDetails(status)), c.expected);
  }
  EXPECT_EQ(RemedyOf(absl::OkStatus()), Remedy::kNone);
  EXPECT_EQ(RemedyOf(absl::NotFoundError("foreign")), Remedy::kNone);
}

TEST(HintOf, NamesTheWaysToANewerClientVersion) {
  const connect::ErrorInfo info{.origin = ErrorOrigin::kServer,
                                .details = {{kDetailsType, FromHex("08 1E") + kTitle, ""}}};
  const std::string hint(HintOf(absl::StatusCode::kFailedPrecondition, "Error", info));
  for (const char* way : {"the official CLI", "CURSORWIRE_CLIENT_VERSION", "--client-version"}) {
    EXPECT_NE(hint.find(way), hint.npos) << way << " is not in: " << hint;
  }
}

}  // namespace
}  // namespace cursorwire::agent
