#include "agent/events/error_message.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cursorwire/connect/error_info.h"
#include "support/hex.h"
#include "support/status_matchers.h"

namespace cursorwire::agent {
namespace {

using connect::ErrorDetail;
using connect::ErrorInfo;
using connect::ErrorOrigin;
using test::FromHex;
using ::testing::Optional;

constexpr char kType[] = "aiserver.v1.ErrorDetails";
constexpr char kNoReason[] = "Error (the service gave no reason)";
constexpr char kDebug[] =
    R"({"error":"ERROR_CUSTOM","details":{"title":"Debug title","detail":"Debug text."}})";

// A length-delimited field of fewer than 128 bytes.
std::string Field(int number, std::string_view bytes) {
  std::string field;
  field += static_cast<char>(number << 3 | 2);
  field += static_cast<char>(bytes.size());
  return field.append(bytes);
}

std::string Details(std::string_view title, std::string_view detail) {
  return FromHex("08 34") + Field(2, Field(1, title) + Field(2, detail) + FromHex("20 01"));
}

absl::Status ServerError(std::string_view message, std::vector<ErrorDetail> details) {
  return MakeError(absl::StatusCode::kNotFound, message,
                   {.origin = ErrorOrigin::kServer, .http_status = 200, .details = details});
}

TEST(WithErrorDetails, MakesTheMessageReadable) {
  struct Case {
    const char* name;
    std::string message;
    std::vector<ErrorDetail> details;
    std::string expected;
  };
  const Case cases[] = {
      {"title and text in place of Error",
       "Error",
       {{kType, Details("Title", "Text."), ""}},
       "Title: Text."},
      {"after a message of its own",
       "no model",
       {{kType, Details("Title", "Text."), ""}},
       "no model: Title: Text."},
      {"without a message", "", {{kType, Details("Title", "Text."), ""}}, "Title: Text."},
      {"title alone", "Error", {{kType, Details("Title", ""), ""}}, "Title"},
      {"text alone", "Error", {{kType, Details("", "Text."), ""}}, "Text."},
      {"said already", "Text.", {{kType, Details("", "Text."), ""}}, "Text."},
      {"value before debug", "Error", {{kType, Details("Title", "Text."), kDebug}}, "Title: Text."},
      {"debug where there is no value", "Error", {{kType, "", kDebug}}, "Debug title: Debug text."},
      {"debug where the value is broken",
       "Error",
       {{kType, FromHex("12 7F 00"), kDebug}},
       "Debug title: Debug text."},
      {"debug where the value has no details",
       "Error",
       {{kType, FromHex("08 34"), kDebug}},
       "Debug title: Debug text."},
      {"details that are not a message", "Error", {{kType, FromHex("10 05"), ""}}, kNoReason},
      {"value and debug broken", "Error", {{kType, FromHex("FF"), "{"}}, kNoReason},
      {"debug that is no object", "Error", {{kType, "", "[]"}}, kNoReason},
      {"debug of another shape", "Error", {{kType, "", R"({"details":"x"})"}}, kNoReason},
      {"another type",
       "Error",
       {{"google.rpc.Help", Details("Title", "Text."), kDebug}},
       kNoReason},
      {"the right type after another",
       "Error",
       {{"google.rpc.Help", "x", ""}, {kType, Details("Title", "Text."), ""}},
       "Title: Text."},
      {"a good one after a broken one",
       "Error",
       {{kType, FromHex("FF"), ""}, {kType, Details("Title", "Text."), ""}},
       "Title: Text."},
      {"text that is not UTF-8", "Error", {{kType, Details("\xFF", "Text."), ""}}, "Text."},
      {"no detail", "Error", {}, kNoReason},
      {"a message without detail", "no", {}, "no"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const absl::Status status = ServerError(c.message, c.details);
    const absl::Status readable = WithErrorDetails(status);
    EXPECT_EQ(std::string(readable.message()), c.expected);
    EXPECT_EQ(readable.code(), absl::StatusCode::kNotFound);
    // Everything else stays.
    EXPECT_EQ(connect::GetErrorInfo(readable), connect::GetErrorInfo(status));
  }
}

TEST(WithErrorDetails, SaysWhatCanBeDone) {
  struct Case {
    const char* name;
    absl::StatusCode code;
    const char* message;
    ErrorInfo info;
    std::string expected;
  };
  const ErrorOrigin server = ErrorOrigin::kServer;
  const auto value = [](const char* number) {
    return FromHex(number) + Field(2, Field(1, "Title") + Field(2, "Text."));
  };
  const std::string named =
      R"({"error":"ERROR_NOT_LOGGED_IN","details":{"title":"T","detail":""}})";
  const std::string model = " (choose a model that the service lists for this account)";
  const std::string limit =
      " (a limit of the account: wait until it is renewed, or change the plan or the model)";
  const std::string token =
      " (the access token is refused: sign in again, and take the new one (CURSOR_ACCESS_TOKEN))";
  const Case cases[] = {
      {"bad model",
       absl::StatusCode::kNotFound,
       "Error",
       {.origin = server, .details = {{kType, value("08 05"), ""}}},
       "Title: Text." + model},
      {"usage limit",
       absl::StatusCode::kResourceExhausted,
       "Error",
       {.origin = server, .details = {{kType, value("08 33"), ""}}},
       "Title: Text." + limit},
      {"by name",
       absl::StatusCode::kUnknown,
       "Error",
       {.origin = server, .details = {{kType, "", named}}},
       "T" + token},
      {"an unknown number",
       absl::StatusCode::kUnknown,
       "Error",
       {.origin = server, .details = {{kType, value("08 7F"), ""}}},
       "Title: Text."},
      {"blob",
       absl::StatusCode::kInternal,
       "Blob not found: 1 2",
       {.origin = server},
       "Blob not found: 1 2 (start a new conversation)"},
      {"HTTP 401",
       absl::StatusCode::kUnauthenticated,
       "HTTP status 401",
       {.origin = server, .http_status = 401},
       "HTTP status 401" + token},
      {"HTTP 464",
       absl::StatusCode::kUnknown,
       "HTTP status 464",
       {.origin = server, .http_status = 464},
       "HTTP status 464 (the request did not arrive as HTTP/2: a proxy on the way may have changed "
       "it)"},
      {"a page of a proxy",
       absl::StatusCode::kPermissionDenied,
       "HTTP status 403: <html>",
       {.origin = server, .http_status = 403},
       "HTTP status 403: <html> (a web page came in place of an answer: is a proxy or firewall on "
       "the way?)"},
      {"HTTP 503",
       absl::StatusCode::kUnavailable,
       "HTTP status 503",
       {.origin = server, .http_status = 503},
       "HTTP status 503 (try again later)"},
      {"no connection",
       absl::StatusCode::kUnavailable,
       "connection refused",
       {.origin = ErrorOrigin::kTransport},
       "connection refused"},
      {"a limit of our own",
       absl::StatusCode::kResourceExhausted,
       "too long",
       {.origin = ErrorOrigin::kProtocol},
       "too long"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const absl::Status readable = WithErrorDetails(MakeError(c.code, c.message, c.info));
    EXPECT_EQ(std::string(readable.message()), c.expected);
    EXPECT_EQ(readable.code(), c.code);
  }
}

TEST(WithErrorDetails, SurvivesAValueCutAnywhere) {
  const std::string value = Details("Title", "Text.");
  for (size_t size = 0; size < value.size(); ++size) {
    SCOPED_TRACE(size);
    const absl::Status readable =
        WithErrorDetails(ServerError("Error", {{kType, value.substr(0, size), ""}}));
    EXPECT_EQ(readable.code(), absl::StatusCode::kNotFound);
    EXPECT_EQ(readable.message(), kNoReason);
  }
}

TEST(WithErrorDetails, LeavesOtherStatusesAlone) {
  EXPECT_EQ(WithErrorDetails(absl::OkStatus()), absl::OkStatus());
  EXPECT_EQ(WithErrorDetails(absl::InternalError("Error")), absl::InternalError("Error"));
}

}  // namespace
}  // namespace cursorwire::agent
